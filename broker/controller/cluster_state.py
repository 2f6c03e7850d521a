"""The state of the cluster: changes are stored, applied to the image, and sent to the nodes.

Changes of many topics are stored in few transactions: after a restart each topic is either in its
old or in its new state.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from uuid import UUID, uuid4

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.common.uuid_text import uuid_text
from broker.config import Config
from broker.config.dynamic import ALL_NODES, MIN_INSYNC_REPLICAS
from broker.config.topics import topic_value
from broker.controller.database.security_changes import SecurityChange, stored_changes
from broker.controller.database.store import ControllerStore
from broker.controller.feeds.feed import MetadataFeed, MetadataListener
from broker.controller.metadata.features import ELR_VERSION, FEATURES
from broker.controller.metadata.image import (
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.controller.partitions.change_batch import ChangeBatch, ChangePartition
from broker.controller.partitions.elections import without_leader
from broker.controller.partitions.partition_change import Election, Rules
from broker.quotas.entity import Entity, Quotas
from broker.steps.queue import Signal, Slices
from protocol.errors import ErrorCode

# Nodes get producer ids in blocks of this size (KIP-730).
PRODUCER_ID_BLOCK_SIZE = 1000
_LEVEL_OF = "level of "  # the name of the stored fact, before that of the feature
# The number of changed partitions after which a transaction ends, with the present topic.
PARTITIONS_PER_COMMIT = 500

Affects = Callable[[TopicPartition, PartitionRegistration], bool]
Results = dict[TopicPartition, ApiError | None]
Unknown = tuple[str, str]  # no such topic, no such partition: formatted with both

logger = logging.getLogger(__name__)


class ClusterState:
    """The controller's image, its store, and the metadata feeds of the nodes.

    After loading, no partition has a leader, since no node is registered.
    """

    def __init__(self, store: ControllerStore, config: Config) -> None:
        # A copy, to which the dynamic settings of all nodes and of the controller's node apply.
        self.config = replace(config)
        # Replicas whose disk has failed, until their node starts again.
        self.offline: set[tuple[int, TopicPartition]] = set()
        # The number of changes since the start; Kafka has the metadata log's end offset.
        self.log_end_offset = 0
        self._store = store
        self._is_batch = False
        self._feeds: dict[int, MetadataFeed] = {}
        self.image = MetadataImage(self._cluster_id())
        for topic in store.topics():
            self.image.put(replace(topic, partitions=tuple(map(without_leader, topic.partitions))))
        self.image.broker_configs = store.broker_configs()
        self.image.client_quotas = store.client_quotas()
        self.image.group_configs = store.group_configs()
        self.image.client_metrics = store.client_metrics()
        self.image.feature_levels = _feature_levels(store)
        for change in stored_changes(store.security):
            change.apply(self.image)
        self.initial_min_insync_replicas = str(self.config.min_insync_replicas)
        if self.has_elr:
            self.require_min_insync_replicas()
            self._warn_of_ignored_min_insync_replicas()
        self._reconfigure()

    def require_min_insync_replicas(self) -> None:
        """Make min.insync.replicas a setting of all nodes and of no node, as ELR require (KIP-966).

        The value given at the first start becomes the stored setting
        (``ConfigurationControlManager.maybeGenerateElrSafetyRecords``).
        """
        for name, configs in list(self.image.broker_configs.items()):
            if name != ALL_NODES and MIN_INSYNC_REPLICAS in configs:
                own = {key: text for key, text in configs.items() if key != MIN_INSYNC_REPLICAS}
                self.put_broker_configs(name, own)
        of_all = self.image.broker_configs.get(ALL_NODES, {})
        if MIN_INSYNC_REPLICAS not in of_all:
            initial = {MIN_INSYNC_REPLICAS: self.initial_min_insync_replicas}
            self.put_broker_configs(ALL_NODES, {**of_all, **initial})

    def _warn_of_ignored_min_insync_replicas(self) -> None:
        text = self.image.broker_configs[ALL_NODES][MIN_INSYNC_REPLICAS]
        given = self.config.given.get(MIN_INSYNC_REPLICAS)
        if given is not None and int(text) != int(self.initial_min_insync_replicas):
            message = "%s=%s is ignored: the cluster has the stored value %s; alter that instead"
            logger.warning(message, MIN_INSYNC_REPLICAS, given, text)

    @property
    def has_elr(self) -> bool:
        """Whether partitions have eligible leader replicas."""
        return self.image.feature_level(ELR_VERSION) > 0

    # ---------------------------------------------------------------------------------- nodes

    def subscribe(self, node_id: int, listener: MetadataListener) -> MetadataFeed:
        """A feed that begins with the present state."""
        feed = self._feeds[node_id] = MetadataFeed(self.image, listener)
        return feed

    def unsubscribe(self, node_id: int) -> None:
        """Close the feed of a node."""
        self._feeds.pop(node_id).close()

    def lag(self, node_id: int) -> int:
        """The number of changes that a live node has not received yet."""
        feed = self._feeds.get(node_id)
        return 0 if feed is None else feed.lag

    def put_broker(self, broker: Broker) -> None:
        """Publish that a node was registered or fenced."""
        self.image.put_broker(broker)
        self._reconfigure()
        self._publish(lambda feed: feed.put_broker(broker))

    def remove_broker(self, node_id: int) -> None:
        """Publish that a node is no longer registered."""
        broker = self.image.brokers[node_id]
        self.image.remove_broker(broker)
        self._reconfigure()
        self._publish(lambda feed: feed.remove_broker(broker))

    def put_broker_configs(self, name: str, configs: dict[str, str]) -> None:
        """Publish the settings of a node or, under the empty name, of all nodes."""
        self._store.put_broker_configs(name, configs)
        self.image.broker_configs[name] = configs
        self._reconfigure()
        self._publish(lambda feed: feed.put_configs(name, configs))

    def put_client_quotas(self, entity: Entity, quotas: Quotas) -> None:
        """Publish the quotas of an entity; an empty mapping removes them."""
        self._store.put_client_quotas(entity, quotas)
        self.image.put_client_quotas(entity, quotas)
        self._publish(lambda feed: feed.put_client_quotas(entity, quotas))

    def put_feature_levels(self, levels: Mapping[str, int]) -> None:
        """Publish the levels of features."""
        for feature, level in levels.items():
            self._store.put_fact(_LEVEL_OF + feature, str(level))
        self.image.feature_levels.update(levels)
        self._publish(lambda feed: feed.put_feature_levels(levels))

    def put_group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        """Publish the settings of a group."""
        self._store.put_group_configs(group_id, configs)
        self.image.put_group_configs(group_id, configs)
        self._publish(lambda feed: feed.put_group_configs(group_id, configs))

    def put_client_metrics(self, name: str, configs: dict[str, str]) -> None:
        """Publish the settings of a client metrics subscription."""
        self._store.put_client_metrics(name, configs)
        self.image.put_client_metrics(name, configs)
        self._publish(lambda feed: feed.put_client_metrics(name, configs))

    def put_security(self, change: SecurityChange) -> None:
        """Publish a change of ACLs or credentials."""
        change.store(self._store.security)
        change.apply(self.image)
        self._publish(lambda feed: feed.put_security(change))

    # ----------------------------------------------------------------------------- partitions

    def keys(self) -> list[TopicPartition]:
        """All partitions."""
        return [
            TopicPartition(topic.name, index)
            for topic in self.image
            for index in range(len(topic.partitions))
        ]

    def change_all(self, affects: Affects, change: ChangePartition) -> Slices[None]:
        """Apply *change* to every partition that *affects* selects."""
        batch = self._batch()
        for topic_id in [topic.topic_id for topic in self.image]:
            topic = self.image.topic_by_id(topic_id)
            for index in range(0 if topic is None else len(topic.partitions)):
                topic = self.image.topic_by_id(topic_id)
                if topic is None:
                    break
                if affects(TopicPartition(topic.name, index), topic.partitions[index]):
                    batch.add(topic, index, change)
                yield None
            if batch.count >= PARTITIONS_PER_COMMIT:
                self.put_topics(batch.changed_topics())
                batch = self._batch()
        self.put_topics(batch.changed_topics())

    def change_each(
        self, changes: Iterable[tuple[TopicPartition, ChangePartition]], unknown: Unknown
    ) -> Slices[list[ApiError | None]]:
        """Apply changes to these partitions; the result has an error or None for each.

        Of several changes of a partition the last one without error applies, as in Kafka. A topic
        that replaces another one meanwhile is unknown.
        ``unknown`` are the messages for an unknown topic and an unknown partition.
        """
        results: list[ApiError | None] = []
        batch = self._batch()
        ids: dict[str, UUID] = {}
        for key, change in changes:
            try:
                batch.add(self._topic_with(key, unknown, ids), key.partition, change)
            except ApiError as error:
                # A traceback would keep this frame and all results alive until a garbage
                # collection.
                results.append(error.with_traceback(None))
            else:
                results.append(None)
            yield None
        self.put_topics(batch.changed_topics())
        return results

    def _batch(self) -> ChangeBatch:
        return ChangeBatch(self.image, self.rules)

    def rules(self, topic: TopicImage) -> Callable[[int], Rules]:
        """Returns a function from partition index to the rules of elections.

        ``min.insync.replicas`` is limited to the number of replicas of the first partition, as in
        Kafka's ``getTopicEffectiveMinIsr``.
        """
        min_insync = topic_value(self.config, topic.configs, "min.insync.replicas")
        assert isinstance(min_insync, int)
        min_isr = min(min_insync, len(topic.partitions[0].replicas))
        unclean = topic_value(self.config, topic.configs, "unclean.leader.election.enable")
        election = Election.UNCLEAN if unclean else Election.ONLINE
        has_elr = self.has_elr

        def of(index: int) -> Rules:
            key = TopicPartition(topic.name, index)
            return Rules(partial(self._can_lead, key), min_isr, election, has_elr)

        return of

    # --------------------------------------------------------------------------------- topics

    def put_topics(self, topics: Iterable[TopicImage], encoded: str | None = None) -> None:
        """Publish topics that are new or have changed; see `ControllerStore.put_topics`."""
        changed = [topic for topic in topics if topic is not self.image.topic(topic.name)]
        if not changed:
            return
        self._store.put_topics(changed, encoded)
        for topic in changed:
            self.image.put(topic)

        def put(feed: MetadataFeed) -> None:
            for topic in changed:
                feed.put_topic(topic)

        self._publish(put, changes=len(changed))

    def remove_topic(self, topic: TopicImage) -> None:
        """Publish that a topic was deleted."""
        self._store.remove_topic(topic.name)
        self.image.remove(topic)
        self._publish(lambda feed: feed.remove_topic(topic))

    # ------------------------------------------------------------------------------- counters

    def next_broker_epoch(self) -> int:
        """A broker epoch greater than all earlier ones, including those before a restart."""
        epoch = int(self._store.fact("broker_epoch") or 0) + 1
        self._store.put_fact("broker_epoch", str(epoch))
        return epoch

    def allocate_producer_ids(self) -> range:
        """A block of producer ids that was never returned before, including before a restart."""
        first = int(self._store.fact("producer_id") or 0)
        block = range(first, first + PRODUCER_ID_BLOCK_SIZE)
        self._store.put_fact("producer_id", str(block.stop))
        return block

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    # ----------------------------------------------------------------------------------------

    def _reconfigure(self) -> None:
        """Apply the dynamic settings, also those of the node that is the controller now."""
        configs = self.image.broker_configs
        own = configs.get(str(self.image.controller_id), {})
        self.config.reconfigure(own, configs.get(ALL_NODES, {}))

    def _can_lead(self, key: TopicPartition, node_id: int) -> bool:
        return self.image.alive(node_id) and (node_id, key) not in self.offline

    @contextmanager
    def one_commit(self) -> Iterator[None]:
        """Write all changes made inside in one transaction, and deliver them afterwards."""
        assert not self._is_batch
        self._is_batch = True
        try:
            with self._store.one_commit():
                yield
        finally:
            self._is_batch = False
        self._deliver()

    def unapplied(self) -> Mapping[int, Signal]:
        """The nodes that have not applied all changes up to now, except held ones.

        The signal of each is set when it has.
        """
        signals = {node_id: feed.applied() for node_id, feed in self._feeds.items()}
        return {node_id: signal for node_id, signal in signals.items() if signal is not None}

    def _publish(self, put: Callable[[MetadataFeed], None], changes: int = 1) -> None:
        """Send changes to every node.

        All feeds get a change before any node applies it: a node that applies it may cause the next
        change, which must reach the other nodes after this one.
        """
        self.log_end_offset += changes
        for feed in self._feeds.values():
            put(feed)
        if not self._is_batch:
            self._deliver()

    def _deliver(self) -> None:
        feeds: Sequence[MetadataFeed] = list(self._feeds.values())
        for feed in feeds:
            feed.deliver()

    def _topic_with(
        self, key: TopicPartition, unknown: Unknown, ids: dict[str, UUID]
    ) -> TopicImage:
        """The topic of a partition; *ids* are those that topics had before."""
        topic = self.image.topic(key.topic)
        if topic is not None and ids.setdefault(key.topic, topic.topic_id) != topic.topic_id:
            topic = None
        if topic is not None and 0 <= key.partition < len(topic.partitions):
            return topic
        reason = unknown[0 if topic is None else 1].format(*key)
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, reason)

    def _cluster_id(self) -> str:
        cluster_id = self._store.fact("cluster_id")
        if cluster_id is None:
            cluster_id = uuid_text(uuid4())
            self._store.put_fact("cluster_id", cluster_id)
        return cluster_id


def _feature_levels(store: ControllerStore) -> dict[str, int]:
    """Return the changed levels of features."""
    stored = {feature: store.fact(_LEVEL_OF + feature) for feature in FEATURES}
    return {feature: int(level) for feature, level in stored.items() if level is not None}
