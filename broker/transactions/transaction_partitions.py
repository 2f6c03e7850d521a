"""The partitions of a transaction, sorted and grouped by topic.

A large transaction grows by a few partitions at a time, and each of these transitions is a record
with all partitions. So a topic that a transition does not change is neither sorted nor encoded
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain
from operator import itemgetter
from typing import Any, Final

from broker.common.topic_partition import TopicPartition
from protocol.codec import encode
from protocol.schema import int32, message, string

_index: Final = itemgetter(1)


@message(0, versions=(0, 1), flexible=1)
class PartitionsSchema:
    """The partitions of one topic in a record of ``__transaction_state``."""

    topic: string
    partition_ids: list[int32]


class _Topic:
    """The partitions of one topic, and their bytes in the version that was written last."""

    __slots__ = ("_encoded", "_version", "partitions")

    def __init__(self, partitions: Iterable[TopicPartition]) -> None:
        self.partitions = dict.fromkeys(sorted(partitions, key=_index))
        self._version = -1
        self._encoded = b""

    def encoded(self, name: str, version: int) -> bytes:
        """The bytes of `PartitionsSchema`."""
        if self._version != version:
            indexes = [each.partition for each in self.partitions]
            self._encoded = encode(PartitionsSchema(topic=name, partition_ids=indexes), version)
            self._version = version
        return self._encoded


class TransactionPartitions(AbstractSet[TopicPartition]):
    """An immutable set of partitions, in the order of their topics and indexes."""

    __slots__ = ("_count", "topics")

    def __init__(self, partitions: Iterable[TopicPartition] = ()) -> None:
        self.topics: dict[str, _Topic] = {}
        self._count = 0
        if partitions:
            self._add(partitions)

    def with_added(self, partitions: Iterable[TopicPartition]) -> TransactionPartitions:
        """The set with *partitions*, which shares the topics that do not change."""
        grown = TransactionPartitions()
        grown.topics, grown._count = self.topics.copy(), self._count
        grown._add(partitions)
        return grown

    def _add(self, partitions: Iterable[TopicPartition]) -> None:
        topics, topics_before = self.topics, len(self.topics)
        for name, of_topic in _by_topic(partitions).items():
            before = topics[name].partitions if name in topics else {}
            after = topics[name] = _Topic((*before, *of_topic))
            self._count += len(after.partitions) - len(before)
        if len(topics) > max(topics_before, 1):
            self.topics = {name: topics[name] for name in sorted(topics)}

    def by_topic(self) -> Iterator[tuple[str, Iterable[TopicPartition]]]:
        """The partitions of each topic."""
        return ((name, each.partitions) for name, each in self.topics.items())

    def encoded(self, version: int) -> list[bytes]:
        """The bytes of a `PartitionsSchema` for each topic."""
        return [each.encoded(name, version) for name, each in self.topics.items()]

    def __contains__(self, partition: Any) -> bool:
        of_topic = self.topics.get(partition.topic)
        return of_topic is not None and partition in of_topic.partitions

    def __iter__(self) -> Iterator[TopicPartition]:
        return chain.from_iterable(each.partitions for each in self.topics.values())

    def __len__(self) -> int:
        return self._count

    def __hash__(self) -> int:
        return self._hash()

    def __le__(self, other: AbstractSet[Any]) -> bool:
        if not isinstance(other, TransactionPartitions):
            return super().__le__(other)
        get = other.topics.get
        changed = [name for name, topic in self.topics.items() if get(name) is not topic]
        return all(
            name in other.topics
            and self.topics[name].partitions.keys() <= other.topics[name].partitions.keys()
            for name in changed
        )


def _by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[TopicPartition]]:
    topics: dict[str, list[TopicPartition]] = {}
    for each in partitions:
        topics.setdefault(each.topic, []).append(each)
    return topics
