"""Topics of the cluster for coordinators of groups (Kafka's ``CoordinatorMetadataImage``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from hashlib import blake2b
from uuid import UUID

from broker.controller.metadata.image import MetadataImage, TopicImage


class CoordinatorMetadataImage:
    """Maps topic names to ids and back, by the present metadata image."""

    def __init__(self, image: Callable[[], MetadataImage]) -> None:
        self._image = image
        # Increases when topics change, after which regular expressions are resolved again.
        self.version = 0

    def ids(self, names: Iterable[str]) -> frozenset[UUID]:
        """The ids of the topics that exist."""
        return frozenset(topic.topic_id for topic in self.existing(names))

    def existing(self, names: Iterable[str]) -> list[TopicImage]:
        """The topics that exist, in any order.

        If *names* is a set, the time depends on the number of topics of the cluster at most.
        """
        topics = self._image().topics
        if isinstance(names, AbstractSet) and len(names) > len(topics):
            return [topic for name, topic in list(topics.items()) if name in names]
        return [topic for topic in map(topics.get, names) if topic is not None]

    def id_of(self, name: str) -> UUID | None:
        """The id of a topic; None if it does not exist."""
        topic = self._image().topic(name)
        return None if topic is None else topic.topic_id

    def name_of(self, topic_id: UUID) -> str | None:
        """The name of a topic; None if it does not exist."""
        topic = self._image().topic_by_id(topic_id)
        return None if topic is None else topic.name

    def partition_count(self, topic_id: UUID) -> int:
        """The number of partitions of a topic; 0 if it does not exist."""
        topic = self._image().topic_by_id(topic_id)
        return 0 if topic is None else len(topic.partitions)

    def partition_count_of(self, name: str) -> int:
        """The number of partitions of a topic; 0 if it does not exist."""
        topic = self._image().topic(name)
        return 0 if topic is None else len(topic.partitions)

    def names(self) -> list[str]:
        """The names of all topics, internal ones included, as in Kafka."""
        return [topic.name for topic in self._image()]

    def hash_of(self, names: Iterable[str]) -> int:
        """A hash of the ids, partition counts and racks of topics; 0 if none of them exists.

        The racks are those of each partition's replicas (KIP-1101). Kafka's hash differs, so a
        group that Kafka has written is assigned once more.
        """
        topics = self.existing(names)
        if not topics:
            return 0
        brokers = self._image().brokers.values()
        racks = {each.node_id: each.rack for each in brokers if each.rack is not None}
        digest = blake2b(digest_size=8)
        for topic in sorted(topics, key=topic_name):
            digest.update(topic.topic_id.bytes)
            digest.update(len(topic.partitions).to_bytes(4))
            for partition in topic.partitions if racks else ():
                found = sorted(racks[node] for node in partition.replicas if node in racks)
                digest.update(repr(found).encode())
        return int.from_bytes(digest.digest(), signed=True)


def topic_name(topic: TopicImage) -> str:
    """The key that sorts topics by name."""
    return topic.name
