"""The name of a partition: the key of logs, purgatories and other state of partitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

_new: Final = tuple.__new__


class TopicPartition(NamedTuple):
    """Topic name and partition index; as text it is the name of the partition's folder in Kafka."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


def topic_partition(topic: str, partition: int) -> TopicPartition:
    """Make a key for a request: ``__new__`` of a NamedTuple is interpreted in all builds."""
    return _new(TopicPartition, (topic, partition))


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """The partition indexes of each topic; topics and indexes are in the order of *partitions*."""
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions:
        indexes = topics.get(topic)
        if indexes is None:
            topics[topic] = [partition]
        else:
            indexes.append(partition)
    return topics
