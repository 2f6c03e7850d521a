"""A node's view of the cluster: topics, partitions, leaders and configs (``MetadataImage``).

The controller changes its own image; each node's feed changes the node's. Other code only reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Final
from uuid import UUID

from broker.config.node_settings import Address
from broker.controller.metadata.features import FEATURES
from broker.controller.metadata.topic_names import may_collide, unified
from broker.quotas.entity import Entity, Quotas
from broker.security.acl.acls import Acls
from broker.security.sasl.credentials import ScramCredential
from broker.security.session import SecurityProtocol
from broker.security.tokens.delegation_token import DelegationToken
from protocol.lazy_dataclass import dataclass

NO_LEADER: Final = -1

GROUP_METADATA_TOPIC: Final = "__consumer_offsets"
TRANSACTION_STATE_TOPIC: Final = "__transaction_state"
SHARE_GROUP_STATE_TOPIC: Final = "__share_group_state"
INTERNAL_TOPICS: Final = frozenset(
    {GROUP_METADATA_TOPIC, TRANSACTION_STATE_TOPIC, SHARE_GROUP_STATE_TOPIC}
)


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
    """A topic: name, id, configs, and its partitions by index.

    ``encodings`` are its descriptions in responses, by what they depend on beside the topic.
    """

    name: str
    topic_id: UUID
    configs: dict[str, str]
    partitions: tuple[PartitionRegistration, ...]
    encodings: dict[object, bytes] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @property
    def internal(self) -> bool:
        """Whether the broker itself writes the topic's records."""
        return self.name in INTERNAL_TOPICS


@dataclass(slots=True, frozen=True)
class Broker:
    """A registered node (``BrokerRegistration``).

    ``host`` and ``port`` are its address for other nodes. ``endpoints`` are its advertised
    addresses by listener; by default that address, at the listener PLAINTEXT.
    """

    node_id: int
    host: str
    port: int
    epoch: int = 0
    fenced: bool = False
    rack: str | None = None
    endpoints: Mapping[str, Address] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.endpoints:
            endpoints = {SecurityProtocol.PLAINTEXT.value: (self.host, self.port)}
            object.__setattr__(self, "endpoints", endpoints)


@dataclass(slots=True)
class MetadataImage:
    """The cluster's topics, by name and id, and brokers.

    ``broker_configs`` are the dynamic settings by node id, "" for all nodes; ``client_quotas`` the
    quotas by entity; ``group_configs`` the settings by group; ``client_metrics`` by subscription;
    ``feature_levels`` those levels of features that were changed; ``acls`` what clients may do;
    ``scram`` the credentials by user and mechanism; ``delegation_tokens`` the tokens by id.
    ``revision`` changes when a node changes and when a topic is removed: until then a partition
    that was found remains.
    """

    cluster_id: str
    brokers: dict[int, Broker] = field(default_factory=dict)
    topics: dict[str, TopicImage] = field(default_factory=dict)
    names: dict[UUID, str] = field(default_factory=dict)
    # The topics whose names may collide with others, by unified name.
    _unified_names: dict[str, str] = field(default_factory=dict)
    broker_configs: dict[str, dict[str, str]] = field(default_factory=dict)
    client_quotas: dict[Entity, Quotas] = field(default_factory=dict)
    group_configs: dict[str, dict[str, str]] = field(default_factory=dict)
    client_metrics: dict[str, dict[str, str]] = field(default_factory=dict)
    feature_levels: dict[str, int] = field(default_factory=dict)
    acls: Acls = field(default_factory=Acls)
    scram: dict[tuple[str, str], ScramCredential] = field(default_factory=dict)
    delegation_tokens: dict[str, DelegationToken] = field(default_factory=dict)
    revision: int = field(default=0, compare=False)

    def topic(self, name: str) -> TopicImage | None:
        """The topic of that name, or None."""
        return self.topics.get(name)

    def topic_by_id(self, topic_id: UUID) -> TopicImage | None:
        """The topic of that id; a recreated topic has another one (KIP-516)."""
        name = self.names.get(topic_id)
        # A worker thread may call this while the topic is removed.
        return None if name is None else self.topics.get(name)

    def colliding_topic(self, name: str) -> str | None:
        """The topic that a new topic of that name would collide with, or None."""
        return self._unified_names.get(unified(name)) if may_collide(name) else None

    def alive(self, node_id: int) -> bool:
        """Whether the node is registered and not fenced."""
        broker = self.brokers.get(node_id)
        return broker is not None and not broker.fenced

    def alive_brokers(self) -> list[Broker]:
        """The nodes that are not fenced, by id."""
        return sorted((b for b in self.brokers.values() if not b.fenced), key=lambda b: b.node_id)

    def alive_endpoints(self, listener: str) -> list[tuple[Broker, Address]]:
        """The nodes that are not fenced, with their addresses for a listener's clients.

        A node is left out if the listener is not advertised.
        """
        alive = self.alive_brokers()
        return [(each, each.endpoints[listener]) for each in alive if listener in each.endpoints]

    def feature_level(self, feature: str) -> int:
        """The level of a feature of `FEATURES`."""
        return self.feature_levels.get(feature, FEATURES[feature].level)

    @property
    def controller_id(self) -> int:
        """The controller's id in responses: the first live node, or -1."""
        return min((b.node_id for b in self.brokers.values() if not b.fenced), default=-1)

    def put_broker(self, broker: Broker) -> None:
        """Add or replace a node."""
        self.revision += 1
        self.brokers[broker.node_id] = broker

    def remove_broker(self, broker: Broker) -> None:
        """Remove a node."""
        self.revision += 1
        del self.brokers[broker.node_id]

    def put(self, topic: TopicImage) -> None:
        """Add or replace a topic; one with another ID is removed before."""
        known = self.topics.get(topic.name)
        assert known is None or known.topic_id == topic.topic_id
        self.topics[topic.name] = topic
        self.names[topic.topic_id] = topic.name
        if may_collide(topic.name):
            self._unified_names[unified(topic.name)] = topic.name

    def remove(self, topic: TopicImage) -> None:
        """Remove a topic."""
        self.revision += 1
        del self.topics[topic.name]
        del self.names[topic.topic_id]
        self._unified_names.pop(unified(topic.name), None)

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

    def put_scram(self, user: str, mechanism: str, credential: ScramCredential | None) -> None:
        """Replace the credential of a user for a mechanism; None removes it."""
        if credential is not None:
            self.scram[user, mechanism] = credential
        else:
            self.scram.pop((user, mechanism), None)

    def put_delegation_token(self, token_id: str, token: DelegationToken | None) -> None:
        """Replace a token; None removes it."""
        if token is not None:
            self.delegation_tokens[token_id] = token
        else:
            self.delegation_tokens.pop(token_id, None)

    def copy(self) -> MetadataImage:
        """The present nodes and topics, which do not change any more; the rest is shared."""
        return replace(
            self, brokers=dict(self.brokers), topics=dict(self.topics), names=dict(self.names)
        )

    def __iter__(self) -> Iterator[TopicImage]:
        return iter(self.topics.values())
