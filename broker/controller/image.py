"""What a node knows of the cluster: topics, their partitions, leaders and configs.

The controller changes its own image and hands nodes the new one; nodes only ever read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID


@dataclass(slots=True, frozen=True)
class PartitionRegistration:
    """Who has a partition, who leads it, and since which epoch (Kafka's class of that name)."""

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int = 0
    partition_epoch: int = 0


@dataclass(slots=True, frozen=True)
class TopicImage:
    """A topic: name, id, the configs set on it, and its partitions by index."""

    name: str
    topic_id: UUID
    configs: dict[str, str]
    partitions: tuple[PartitionRegistration, ...]
    internal: bool = False


@dataclass(slots=True, frozen=True)
class Broker:
    """A node as clients reach it."""

    node_id: int
    host: str
    port: int


@dataclass(slots=True)
class MetadataImage:
    """The cluster's topics and brokers, findable by name and by id."""

    cluster_id: str
    brokers: dict[int, Broker] = field(default_factory=dict)
    topics: dict[str, TopicImage] = field(default_factory=dict)
    names: dict[UUID, str] = field(default_factory=dict)

    def topic(self, name: str) -> TopicImage | None:
        """The topic of that name."""
        return self.topics.get(name)

    def topic_by_id(self, topic_id: UUID) -> TopicImage | None:
        """The topic of that id; a topic deleted and made again has another one (KIP-516)."""
        name = self.names.get(topic_id)
        return None if name is None else self.topics[name]

    def put(self, topic: TopicImage) -> None:
        """Add a topic or replace what is known of it."""
        self.topics[topic.name] = topic
        self.names[topic.topic_id] = topic.name

    def remove(self, topic: TopicImage) -> None:
        """Forget a topic."""
        del self.topics[topic.name]
        del self.names[topic.topic_id]

    def __iter__(self) -> Iterator[TopicImage]:
        return iter(self.topics.values())
