"""The controller: the one authority on which topics exist, where they are, and who leads.

Kafka elects one and replicates its log; here it is an object in the process that writes each
change to its store first, then to its image, then to the feed of every node - so that when a
request to create a topic is answered, every node already serves it. A node that stops is fenced:
it leaves in-sync sets and loses its leaderships until it registers again, with a higher epoch.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from broker.config import Config
from broker.controller.feed import MetadataFeed, MetadataListener
from broker.controller.image import (
    NO_LEADER,
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.controller.isr_changes import IsrChange, check_isr_change
from broker.controller.new_topics import Assignments, NewTopics
from broker.controller.partition_change import Election, Rules, change, with_epochs
from broker.controller.reassignments import reassigned, reverted
from broker.controller.store import ControllerStore
from broker.errors import ApiError
from broker.topic_config import TopicConfig
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode

# Producer ids are handed out in blocks, so that the store is written once a block (KIP-730).
_PRODUCER_ID_BLOCK = 1000

CheckConfigs = Callable[[dict[str, str]], None]
Changed = Callable[[PartitionRegistration, Rules], PartitionRegistration]


class Controller:
    """Creates, changes and deletes topics, elects leaders, hands out producer ids.

    ``check_configs`` raises `ApiError` INVALID_CONFIG for topic configs that make no sense.
    """

    def __init__(self, store: ControllerStore, config: Config, check_configs: CheckConfigs) -> None:
        self._store = store
        self._config = config
        self._feeds: dict[int, MetadataFeed] = {}
        self._starting = False
        self.image = MetadataImage(self._cluster_id())
        for topic in store.topics():
            self.image.put(_without_leaders(topic))
        self._new_topics = NewTopics(self.image, config, check_configs)
        self._next_producer_id = self._producer_id_block = int(store.fact("producer_id") or 0)

    # -------------------------------------------------------------------------------- nodes

    def register(self, broker: Broker, listener: MetadataListener) -> MetadataFeed:
        """Add a node, or bring it back with a new epoch; its feed is held until it releases it."""
        assert not self.image.alive(broker.node_id), "a node registers once in its life"
        epoch = int(self._store.fact("broker_epoch") or 0) + 1
        self._store.put_fact("broker_epoch", str(epoch))
        feed = MetadataFeed(self.image, listener)
        self._feeds[broker.node_id] = feed
        self._publish_broker(replace(broker, epoch=epoch, fenced=False))
        if not self._starting:
            self._change_all(change)
        return feed

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Nodes that register inside start together: leaders are elected when all are there."""
        self._starting = True
        try:
            yield
        finally:
            self._starting = False
        self._change_all(change)

    def fence(self, node_id: int) -> None:
        """A node is gone: others lead what it led, and it is in sync with nobody."""
        assert self.image.alive(node_id)
        del self._feeds[node_id]
        self._publish_broker(replace(self.image.brokers[node_id], fenced=True))

        def without(old: PartitionRegistration, rules: Rules) -> PartitionRegistration:
            return change(old, rules, isr=(node for node in old.isr if node != node_id))

        self._change_all(without)

    def _publish_broker(self, broker: Broker) -> None:
        self.image.put_broker(broker)
        self._publish(lambda feed: feed.put_broker(broker))

    # ------------------------------------------------------------------------------- topics

    def topic(self, name: str) -> TopicImage | None:
        """The topic of that name."""
        return self.image.topic(name)

    def topic_by_id(self, topic_id: uuid.UUID) -> TopicImage | None:
        """The topic of that id."""
        return self.image.topic_by_id(topic_id)

    def create_topic(
        self,
        name: str,
        *,
        partitions: int = -1,
        replication_factor: int = -1,
        assignments: Assignments = (),
        configs: dict[str, str] | None = None,
        validate_only: bool = False,
    ) -> TopicImage:
        """Create a topic and return it; -1 takes the broker's default.

        Raises `ApiError` as Kafka's ``ReplicationControlManager.createTopic``. With
        ``validate_only`` all is checked and nothing made.
        """
        topic = self._new_topics.topic(
            name, partitions, replication_factor, assignments, configs or {}
        )
        if not validate_only:
            self._commit([topic])
        return topic

    def create_partitions(
        self, name: str, count: int, assignments: Assignments = (), *, validate_only: bool = False
    ) -> None:
        """Grow a topic to *count* partitions; raises `ApiError` as Kafka's createPartitions."""
        topic = self._existing(name)
        added = self._new_topics.partitions(topic, count, assignments)
        if not validate_only:
            self._commit([replace(topic, partitions=topic.partitions + added)])

    def delete_topic(self, name: str) -> None:
        """Delete a topic; raises `ApiError` UNKNOWN_TOPIC_OR_PARTITION."""
        topic = self._existing(name)
        self._store.remove_topic(name)
        self.image.remove(topic)
        self._publish(lambda feed: feed.remove_topic(topic))

    # --------------------------------------------------------------------------- partitions

    def alter_partition(self, asked: IsrChange) -> PartitionRegistration:
        """Give a partition another in-sync set, as its leader asks.

        Raises `ApiError` as Kafka's ``ReplicationControlManager.alterPartition``; also
        NEW_LEADER_ELECTED when the change completes a reassignment that takes the leader away.
        """
        topic = check_isr_change(asked, self.image)
        old = topic.partitions[asked.key.partition]
        new = change(old, self._rules(topic), isr=asked.new_isr)
        self._put(topic, {asked.key.partition: new})
        if new.leader != old.leader:
            raise ApiError(ErrorCode.NEW_LEADER_ELECTED)
        return new

    def elect_leaders(
        self, election: Election, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, ErrorCode]:
        """Hold elections, for all partitions or those named; what came of each.

        Without names those that need none are left out. Kafka's ``electLeaders``.
        """
        keys = list(self._all_partitions() if partitions is None else partitions)
        results = {key: self._elect(election, key) for key in keys}
        if partitions is None:
            needless = ErrorCode.ELECTION_NOT_NEEDED
            return {key: error for key, error in results.items() if error is not needless}
        return results

    def _elect(self, election: Election, key: TopicPartition) -> ErrorCode:
        try:
            topic, old = self._partition(key)
        except ApiError as error:
            return error.code
        preferred = election is Election.PREFERRED
        if old.leader == old.replicas[0] if preferred else old.leader != NO_LEADER:
            return ErrorCode.ELECTION_NOT_NEEDED
        new = change(old, self._rules(topic), election=election)
        if new.leader == old.leader:
            return (
                ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
                if preferred
                else ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
            )
        self._put(topic, {key.partition: new})
        return ErrorCode.NONE

    def reassign(
        self,
        key: TopicPartition,
        replicas: Sequence[int] | None,
        *,
        may_change_factor: bool = True,
    ) -> None:
        """Move a partition to *replicas*, or, with None, call off the move that is under way.

        Raises `ApiError` as Kafka's ``alterPartitionReassignments``.
        """
        topic, old = self._partition(key)
        if replicas is None:
            wanted = reverted(old)
        else:
            self._new_topics.check_assignments([tuple(replicas)])
            wanted = reassigned(old, tuple(replicas))
            if not may_change_factor and len(replicas) != len(old.replicas):
                raise ApiError(
                    ErrorCode.INVALID_REPLICATION_FACTOR,
                    f"The replication factor is changed from {len(old.replicas)} to "
                    f"{len(replicas)}",
                )
        new = with_epochs(old, change(wanted, self._rules(topic)))
        # Two steps changed it, which count as one.
        new = replace(new, partition_epoch=old.partition_epoch + 1) if new != old else old
        self._put(topic, {key.partition: new})

    def reassignments(self) -> dict[TopicPartition, PartitionRegistration]:
        """The partitions that are on their way to other nodes."""
        return {
            key: registration
            for key in self._all_partitions()
            if (registration := self._partition(key)[1]).adding_replicas
            or registration.removing_replicas
        }

    def rebalance_leaders(self) -> None:
        """Give leaderships back to the preferred replicas (auto.leader.rebalance.enable)."""
        self.elect_leaders(Election.PREFERRED)

    # ------------------------------------------------------------------------------- others

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

    def _change_all(self, changed: Changed) -> None:
        """Put every partition through *changed*, and commit what is not as it was, together."""
        topics = []
        for topic in self.image:
            rules = self._rules(topic)
            partitions = tuple(changed(old, rules) for old in topic.partitions)
            if partitions != topic.partitions:
                topics.append(replace(topic, partitions=partitions))
        self._commit(topics)

    def _put(self, topic: TopicImage, changed: dict[int, PartitionRegistration]) -> None:
        partitions = tuple(changed.get(i, old) for i, old in enumerate(topic.partitions))
        if partitions != topic.partitions:
            self._commit([replace(topic, partitions=partitions)])

    def _commit(self, topics: Sequence[TopicImage]) -> None:
        self._store.put_topics(topics)
        for topic in topics:
            self.image.put(topic)

        def put(feed: MetadataFeed) -> None:
            for topic in topics:
                feed.put_topic(topic)

        self._publish(put)

    def _publish(self, put: Callable[[MetadataFeed], None]) -> None:
        """Send a change to every node.

        To all before any is told: one that is told may set off the next change, and that must not
        overtake this one on its way to the others.
        """
        feeds = list(self._feeds.values())
        for feed in feeds:
            put(feed)
        for feed in feeds:
            feed.deliver()

    def _rules(self, topic: TopicImage) -> Rules:
        config = TopicConfig(self._config, topic.configs)
        return Rules(
            self.image.alive, config.min_insync_replicas, config.unclean_leader_election_enable
        )

    def _existing(self, name: str) -> TopicImage:
        topic = self.image.topic(name)
        if topic is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return topic

    def _partition(self, key: TopicPartition) -> tuple[TopicImage, PartitionRegistration]:
        topic = self._existing(key.topic)
        if not 0 <= key.partition < len(topic.partitions):
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return topic, topic.partitions[key.partition]

    def _all_partitions(self) -> Iterator[TopicPartition]:
        for topic in list(self.image):
            for index in range(len(topic.partitions)):
                yield TopicPartition(topic.name, index)

    def _cluster_id(self) -> str:
        cluster_id = self._store.fact("cluster_id")
        if cluster_id is None:
            cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
            self._store.put_fact("cluster_id", cluster_id)
        return cluster_id


def _without_leaders(topic: TopicImage) -> TopicImage:
    """A topic as the store has it: nobody is alive yet, and whoever leads next begins an epoch."""
    return replace(
        topic, partitions=tuple(replace(each, leader=NO_LEADER) for each in topic.partitions)
    )
