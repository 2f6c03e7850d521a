"""What a node knows of the cluster: topics, their partitions, leaders and configs.

The controller changes its own image and hands nodes the new one; nodes only ever read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from broker.quotas.entity import Entity, Quotas

NO_LEADER = -1

GROUP_METADATA_TOPIC = "__consumer_offsets"
INTERNAL_TOPICS = frozenset({GROUP_METADATA_TOPIC, "__transaction_state", "__share_group_state"})


@dataclass(slots=True, frozen=True)
class PartitionRegistration:
    """Who has a partition, who leads it, and since which epoch (Kafka's class of that name).

    ``elr`` are replicas out of the ISR that still have all that is committed, and
    ``last_known_elr`` is who led a partition that nobody leads now (KIP-966).
    """

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int = 0
    partition_epoch: int = 0
    adding_replicas: tuple[int, ...] = ()
    removing_replicas: tuple[int, ...] = ()
    elr: tuple[int, ...] = ()
    last_known_elr: tuple[int, ...] = ()


@dataclass(slots=True, frozen=True)
class TopicImage:
    """A topic: name, id, the configs set on it, and its partitions by index."""

    name: str
    topic_id: UUID
    configs: dict[str, str]
    partitions: tuple[PartitionRegistration, ...]

    @property
    def internal(self) -> bool:
        """Whether the broker keeps its own records there."""
        return self.name in INTERNAL_TOPICS


@dataclass(slots=True, frozen=True)
class Broker:
    """A node as clients reach it."""

    node_id: int
    host: str
    port: int
    epoch: int = 0
    fenced: bool = False
    rack: str | None = None


@dataclass(slots=True)
class MetadataImage:
    """The cluster's topics and brokers, findable by name and by id.

    ``broker_configs`` is what was set while they run: by node id, or "" for all nodes;
    ``client_quotas`` what clients may use of each, ``group_configs`` what was set for a group,
    ``client_metrics`` what was set for a subscription of client metrics.
    """

    cluster_id: str
    brokers: dict[int, Broker] = field(default_factory=dict)
    topics: dict[str, TopicImage] = field(default_factory=dict)
    names: dict[UUID, str] = field(default_factory=dict)
    broker_configs: dict[str, dict[str, str]] = field(default_factory=dict)
    client_quotas: dict[Entity, Quotas] = field(default_factory=dict)
    group_configs: dict[str, dict[str, str]] = field(default_factory=dict)
    client_metrics: dict[str, dict[str, str]] = field(default_factory=dict)

    def topic(self, name: str) -> TopicImage | None:
        """The topic of that name."""
        return self.topics.get(name)

    def topic_by_id(self, topic_id: UUID) -> TopicImage | None:
        """The topic of that id; a topic deleted and made again has another one (KIP-516)."""
        name = self.names.get(topic_id)
        # A worker thread may ask while the topic is removed.
        return None if name is None else self.topics.get(name)

    def alive(self, node_id: int) -> bool:
        """Whether the node is known and not fenced."""
        broker = self.brokers.get(node_id)
        return broker is not None and not broker.fenced

    def alive_brokers(self) -> list[Broker]:
        """The nodes that are not fenced, by id."""
        return sorted((b for b in self.brokers.values() if not b.fenced), key=lambda b: b.node_id)

    @property
    def controller_id(self) -> int:
        """The node that clients are told is the controller: the first that is alive, or -1."""
        return min((b.node_id for b in self.brokers.values() if not b.fenced), default=-1)

    def put_broker(self, broker: Broker) -> None:
        """Add a node or replace what is known of it."""
        self.brokers[broker.node_id] = broker

    def remove_broker(self, broker: Broker) -> None:
        """Forget a node."""
        del self.brokers[broker.node_id]

    def put(self, topic: TopicImage) -> None:
        """Add a topic or replace what is known of it."""
        self.topics[topic.name] = topic
        self.names[topic.topic_id] = topic.name

    def remove(self, topic: TopicImage) -> None:
        """Forget a topic."""
        del self.topics[topic.name]
        del self.names[topic.topic_id]

    def put_client_quotas(self, entity: Entity, quotas: Quotas) -> None:
        """Replace the quotas of an entity; with none it is forgotten."""
        if quotas:
            self.client_quotas[entity] = quotas
        else:
            self.client_quotas.pop(entity, None)

    def put_group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        """Replace what is set for a group; with nothing it is forgotten."""
        if configs:
            self.group_configs[group_id] = configs
        else:
            self.group_configs.pop(group_id, None)

    def put_client_metrics(self, name: str, configs: dict[str, str]) -> None:
        """Replace what is set for a subscription of client metrics; with nothing it is removed."""
        if configs:
            self.client_metrics[name] = configs
        else:
            self.client_metrics.pop(name, None)

    def __iter__(self) -> Iterator[TopicImage]:
        return iter(self.topics.values())
