"""The state of the cluster: what is decided is written down, then known, then told to the nodes.

Changes of many topics are written in few transactions of the store: a restart finds each topic
either as it was or as it was to become.
"""

from __future__ import annotations

import base64
import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.config.dynamic import ALL_NODES, MIN_INSYNC_REPLICAS
from broker.config.topics import topic_value
from broker.controller.change_batch import ChangeBatch, ChangePartition
from broker.controller.elections import without_leader
from broker.controller.feed import MetadataFeed, MetadataListener
from broker.controller.image import Broker, MetadataImage, PartitionRegistration, TopicImage
from broker.controller.partition_change import Election, Rules
from broker.controller.store import ControllerStore
from broker.quotas.entity import Entity, Quotas
from broker.steps.queue import Slices
from protocol.errors import ErrorCode

# Producer ids are handed out in blocks, so that the store is written once a block (KIP-730).
_PRODUCER_ID_BLOCK = 1000
# So many changed partitions, and those of the last topic among them, are written at once.
PARTITIONS_PER_COMMIT = 500

Affects = Callable[[TopicPartition, PartitionRegistration], bool]
Results = dict[TopicPartition, ApiError | None]
Unknown = tuple[str, str]  # no such topic, no such partition: formatted with both

logger = logging.getLogger(__name__)


class ClusterState:
    """The controller's image, with the store below it and the nodes' feeds above it.

    Nobody leads anything when it is loaded: the nodes are yet to register.
    """

    def __init__(self, store: ControllerStore, config: Config) -> None:
        # Its own: what is set on all nodes while they run counts here, too.
        self.config = replace(config)
        # Replicas whose disk has failed, until their node starts again.
        self.offline: set[tuple[int, TopicPartition]] = set()
        # The changes since the start: where Kafka's metadata log would end.
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
        self._require_min_insync_replicas()
        self.config.reconfigure({}, self.image.broker_configs[ALL_NODES])
        self._next_producer_id = self._producer_id_block = int(store.fact("producer_id") or 0)

    def _require_min_insync_replicas(self) -> None:
        """Make min.insync.replicas a setting of the cluster, which eligible leaders need (KIP-966).

        ``ConfigurationControlManager.maybeGenerateElrSafetyRecords``: what the broker is started
        with becomes the setting, and counts from then on.
        """
        configs = self.image.broker_configs.get(ALL_NODES, {})
        if MIN_INSYNC_REPLICAS not in configs:
            configs = {**configs, MIN_INSYNC_REPLICAS: str(self.config.min_insync_replicas)}
            self._store.put_broker_configs(ALL_NODES, configs)
            self.image.broker_configs[ALL_NODES] = configs
        text, given = configs[MIN_INSYNC_REPLICAS], self.config.given.get(MIN_INSYNC_REPLICAS)
        if given is not None and int(text) != self.config.min_insync_replicas:
            words = "%s=%s is not used: the cluster has %s from an earlier start; alter it instead"
            logger.warning(words, MIN_INSYNC_REPLICAS, given, text)

    # ---------------------------------------------------------------------------------- nodes

    def subscribe(self, node_id: int, listener: MetadataListener) -> MetadataFeed:
        """A feed that begins with what there is now."""
        feed = self._feeds[node_id] = MetadataFeed(self.image, listener)
        return feed

    def unsubscribe(self, node_id: int) -> None:
        """Send nothing more to a node."""
        self._feeds.pop(node_id).close()

    def lag(self, node_id: int) -> int:
        """How many changes have not reached a node yet that is alive."""
        feed = self._feeds.get(node_id)
        return 0 if feed is None else feed.lag

    def put_broker(self, broker: Broker) -> None:
        """Make known that a node was registered, or fenced."""
        self.image.put_broker(broker)
        self._publish(lambda feed: feed.put_broker(broker))

    def remove_broker(self, node_id: int) -> None:
        """Make known that a node is no longer registered."""
        broker = self.image.brokers[node_id]
        self.image.remove_broker(broker)
        self._publish(lambda feed: feed.remove_broker(broker))

    def put_broker_configs(self, name: str, configs: dict[str, str]) -> None:
        """Make known what is set on a node, or, under the empty name, on all of them."""
        self._store.put_broker_configs(name, configs)
        self.image.broker_configs[name] = configs
        if name == ALL_NODES:
            self.config.reconfigure({}, configs)
        self._publish(lambda feed: feed.put_configs(name, configs))

    def put_client_quotas(self, entity: Entity, quotas: Quotas) -> None:
        """Make known what clients may use; no quotas: as much as they like."""
        self._store.put_client_quotas(entity, quotas)
        self.image.put_client_quotas(entity, quotas)
        self._publish(lambda feed: feed.put_client_quotas(entity, quotas))

    def put_group_configs(self, group_id: str, configs: dict[str, str]) -> None:
        """Make known what is set for a group."""
        self._store.put_group_configs(group_id, configs)
        self.image.put_group_configs(group_id, configs)
        self._publish(lambda feed: feed.put_group_configs(group_id, configs))

    def put_client_metrics(self, name: str, configs: dict[str, str]) -> None:
        """Make known what is set for a subscription of client metrics."""
        self._store.put_client_metrics(name, configs)
        self.image.put_client_metrics(name, configs)
        self._publish(lambda feed: feed.put_client_metrics(name, configs))

    # ----------------------------------------------------------------------------- partitions

    def keys(self) -> list[TopicPartition]:
        """Every partition there is."""
        return [
            TopicPartition(topic.name, index)
            for topic in self.image
            for index in range(len(topic.partitions))
        ]

    def change_all(self, concerns: Affects, decide: ChangePartition) -> Slices[None]:
        """Have *decide* change every partition that it concerns."""
        decisions = self._decisions()
        for name in list(self.image.topics):
            topic = self.image.topic(name)
            for index in range(0 if topic is None else len(topic.partitions)):
                topic = self.image.topic(name)
                if topic is None:
                    break
                if concerns(TopicPartition(name, index), topic.partitions[index]):
                    decisions.add(topic, index, decide)
                yield None
            if decisions.count >= PARTITIONS_PER_COMMIT:
                self.put_topics(decisions.changed_topics())
                decisions = self._decisions()
        self.put_topics(decisions.changed_topics())

    def change_each(
        self, decisions: Mapping[TopicPartition, ChangePartition], unknown: Unknown
    ) -> Slices[Results]:
        """Change these partitions as far as no `ApiError` forbids.

        ``unknown`` is how to say that there is no such topic, or no such partition.
        """
        results: Results = {}
        made = self._decisions()
        for key, decide in decisions.items():
            try:
                made.add(self._topic_with(key, unknown), key.partition, decide)
            except ApiError as error:
                # A traceback would keep this frame, and with it all results, until a collection.
                results[key] = error.with_traceback(None)
            else:
                results[key] = None
            yield None
        self.put_topics(made.changed_topics())
        return results

    def _decisions(self) -> ChangeBatch:
        return ChangeBatch(self.image, self.rules)

    def rules(self, topic: TopicImage) -> Callable[[int], Rules]:
        """What elections of a topic's partitions go by, given by index.

        ``min.insync.replicas`` counts at most as many as the first partition has replicas, as in
        Kafka's ``getTopicEffectiveMinIsr``.
        """
        asked = topic_value(self.config, topic.configs, "min.insync.replicas")
        assert isinstance(asked, int)
        min_isr = min(asked, len(topic.partitions[0].replicas))
        unclean = topic_value(self.config, topic.configs, "unclean.leader.election.enable")
        election = Election.UNCLEAN if unclean else Election.ONLINE

        def of(index: int) -> Rules:
            key = TopicPartition(topic.name, index)
            return Rules(partial(self._can_lead, key), min_isr, election)

        return of

    # --------------------------------------------------------------------------------- topics

    def put_topics(self, topics: Iterable[TopicImage]) -> None:
        """Make topics known that are new, or not as they were."""
        changed = [topic for topic in topics if topic is not self.image.topic(topic.name)]
        if not changed:
            return
        self._store.put_topics(changed)
        for topic in changed:
            self.image.put(topic)

        def put(feed: MetadataFeed) -> None:
            for topic in changed:
                feed.put_topic(topic)

        self._publish(put, changes=len(changed))

    def remove_topic(self, topic: TopicImage) -> None:
        """Make known that a topic is gone."""
        self._store.remove_topic(topic.name)
        self.image.remove(topic)
        self._publish(lambda feed: feed.remove_topic(topic))

    # ------------------------------------------------------------------------------- counters

    def next_broker_epoch(self) -> int:
        """An epoch that is higher than all before, also before a restart."""
        epoch = int(self._store.fact("broker_epoch") or 0) + 1
        self._store.put_fact("broker_epoch", str(epoch))
        return epoch

    def next_producer_id(self) -> int:
        """A producer id that was never given before, also not before a restart."""
        if self._next_producer_id == self._producer_id_block:
            self._producer_id_block += _PRODUCER_ID_BLOCK
            self._store.put_fact("producer_id", str(self._producer_id_block))
        self._next_producer_id += 1
        return self._next_producer_id - 1

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    # ----------------------------------------------------------------------------------------

    def _can_lead(self, key: TopicPartition, node_id: int) -> bool:
        return self.image.alive(node_id) and (node_id, key) not in self.offline

    @contextmanager
    def one_commit(self) -> Iterator[None]:
        """Write all changes that are made inside in one transaction, and deliver them after it."""
        assert not self._is_batch
        self._is_batch = True
        try:
            with self._store.one_commit():
                yield
        finally:
            self._is_batch = False
        self._deliver()

    def applied(self) -> Slices[None]:
        """Wait until every node has applied all changes up to now, but for nodes that are held."""
        for signal in [feed.applied() for feed in self._feeds.values()]:
            if signal is not None:
                yield signal

    def _publish(self, put: Callable[[MetadataFeed], None], changes: int = 1) -> None:
        """Send a change, or several, to every node.

        All feeds have a change before any node applies it: a node that applies it may cause the
        next change, which must reach the other nodes after this one.
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

    def _topic_with(self, key: TopicPartition, unknown: Unknown) -> TopicImage:
        topic = self.image.topic(key.topic)
        if topic is not None and 0 <= key.partition < len(topic.partitions):
            return topic
        reason = unknown[0 if topic is None else 1].format(*key)
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, reason)

    def _cluster_id(self) -> str:
        cluster_id = self._store.fact("cluster_id")
        if cluster_id is None:
            cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
            self._store.put_fact("cluster_id", cluster_id)
        return cluster_id
