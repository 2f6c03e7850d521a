"""The topics of the cluster, as consumer groups need them: names to ids, and what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from uuid import UUID

from broker.controller.image import MetadataImage


class CoordinatorMetadataImage:
    """What is subscribed to, and whether it exists."""

    def __init__(self, image: Callable[[], MetadataImage]) -> None:
        self._image = image
        # Rises when a topic comes or changes: regular expressions have to be looked at again.
        self.version = 0

    def ids(self, names: Iterable[str]) -> frozenset[UUID]:
        """The ids of those that exist."""
        topics = map(self._image().topic, names)
        return frozenset(topic.topic_id for topic in topics if topic is not None)

    def id_of(self, name: str) -> UUID | None:
        """The id of a topic; None if there is none of that name."""
        topic = self._image().topic(name)
        return None if topic is None else topic.topic_id

    def name_of(self, topic_id: UUID) -> str | None:
        """The name of a topic; None if there is none of that id."""
        topic = self._image().topic_by_id(topic_id)
        return None if topic is None else topic.name

    def partition_count(self, topic_id: UUID) -> int:
        """How many partitions an existing topic has."""
        topic = self._image().topic_by_id(topic_id)
        return 0 if topic is None else len(topic.partitions)

    def partition_count_of(self, name: str) -> int:
        """How many partitions the topic of that name has; 0 if there is none."""
        topic = self._image().topic(name)
        return 0 if topic is None else len(topic.partitions)

    def names(self) -> list[str]:
        """All topics; even the broker's own, as in Kafka, if somebody asks for them."""
        return [topic.name for topic in self._image()]

    def hash_of(self, names: Iterable[str]) -> int:
        """A number that changes when one of the topics comes, goes or grows (KIP-1101); 0: none.

        Only compared with itself; Kafka computes another one, so a group that it wrote is
        assigned anew once.
        """
        digest = blake2b(digest_size=8)
        found = False
        for name in sorted(names):
            topic = self._image().topic(name)
            if topic is not None:
                found = True
                digest.update(topic.topic_id.bytes)
                digest.update(len(topic.partitions).to_bytes(4))
        return int.from_bytes(digest.digest(), signed=True) if found else 0
