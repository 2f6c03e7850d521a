"""A node's view of the cluster: topics, partitions, leaders and configs (``MetadataImage``).

The controller changes its own image; each node's feed changes the node's. Other code only reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from broker.controller.features import FEATURES
from broker.quotas.entity import Entity, Quotas

NO_LEADER = -1

GROUP_METADATA_TOPIC = "__consumer_offsets"
TRANSACTION_STATE_TOPIC = "__transaction_state"
INTERNAL_TOPICS = frozenset({GROUP_METADATA_TOPIC, TRANSACTION_STATE_TOPIC, "__share_group_state"})


@dataclass(slots=True, frozen=True)
class PartitionRegistration:
    """The replicas, ISR, leader and epochs of a partition (Kafka's class of that name).

    ``elr`` are replicas outside of the ISR that have all committed records; ``last_known_elr`` is
    the last leader of a partition without leader (KIP-966).
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
    """A topic: name, id, configs, and its partitions by index."""

    name: str
    topic_id: UUID
    configs: dict[str, str]
    partitions: tuple[PartitionRegistration, ...]

    @property
    def internal(self) -> bool:
        """Whether the broker itself writes the topic's records."""
        return self.name in INTERNAL_TOPICS


@dataclass(slots=True, frozen=True)
class Broker:
    """A registered node (``BrokerRegistration``)."""

    node_id: int
    host: str
    port: int
    epoch: int = 0
    fenced: bool = False
    rack: str | None = None


@dataclass(slots=True)
class MetadataImage:
    """The cluster's topics, by name and id, and brokers.

    ``broker_configs`` are the dynamic settings by node id, "" for all nodes; ``client_quotas`` the
    quotas by entity; ``group_configs`` the settings by group; ``client_metrics`` by subscription;
    ``feature_levels`` those levels of features that were changed.
    """

    cluster_id: str
    brokers: dict[int, Broker] = field(default_factory=dict)
    topics: dict[str, TopicImage] = field(default_factory=dict)
    names: dict[UUID, str] = field(default_factory=dict)
    broker_configs: dict[str, dict[str, str]] = field(default_factory=dict)
    client_quotas: dict[Entity, Quotas] = field(default_factory=dict)
    group_configs: dict[str, dict[str, str]] = field(default_factory=dict)
    client_metrics: dict[str, dict[str, str]] = field(default_factory=dict)
    feature_levels: dict[str, int] = field(default_factory=dict)

    def topic(self, name: str) -> TopicImage | None:
        """The topic of that name, or None."""
        return self.topics.get(name)

    def topic_by_id(self, topic_id: UUID) -> TopicImage | None:
        """The topic of that id; a recreated topic has another one (KIP-516)."""
        name = self.names.get(topic_id)
        # A worker thread may call this while the topic is removed.
        return None if name is None else self.topics.get(name)

    def alive(self, node_id: int) -> bool:
        """Whether the node is registered and not fenced."""
        broker = self.brokers.get(node_id)
        return broker is not None and not broker.fenced

    def alive_brokers(self) -> list[Broker]:
        """The nodes that are not fenced, by id."""
        return sorted((b for b in self.brokers.values() if not b.fenced), key=lambda b: b.node_id)

    def feature_level(self, feature: str) -> int:
        """The level of a feature of `FEATURES`."""
        return self.feature_levels.get(feature, FEATURES[feature].level)

    @property
    def controller_id(self) -> int:
        """The controller's id in responses: the first live node, or -1."""
        return min((b.node_id for b in self.brokers.values() if not b.fenced), default=-1)

    def put_broker(self, broker: Broker) -> None:
        """Add or replace a node."""
        self.brokers[broker.node_id] = broker

    def remove_broker(self, broker: Broker) -> None:
        """Remove a node."""
        del self.brokers[broker.node_id]

    def put(self, topic: TopicImage) -> None:
        """Add or replace a topic."""
        self.topics[topic.name] = topic
        self.names[topic.topic_id] = topic.name

    def remove(self, topic: TopicImage) -> None:
        """Remove a topic."""
        del self.topics[topic.name]
        del self.names[topic.topic_id]

    def put_client_quotas(self, entity: Entity, quotas: Quotas) -> None:
        """Replace the quotas of an entity; an empty mapping removes it."""
        if quotas:
            self.client_quotas[entity] = quotas
        else:
            self.client_quotas.pop(entity, None)

    def put_group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        """Replace the settings of a group; an empty mapping removes it."""
        if configs:
            self.group_configs[group_id] = configs
        else:
            self.group_configs.pop(group_id, None)

    def put_client_metrics(self, name: str, configs: dict[str, str]) -> None:
        """Replace the settings of a subscription; an empty mapping removes it."""
        if configs:
            self.client_metrics[name] = configs
        else:
            self.client_metrics.pop(name, None)

    def __iter__(self) -> Iterator[TopicImage]:
        return iter(self.topics.values())
