"""The controller: decides which topics exist, where their replicas are, and which nodes lead.

Kafka elects a controller and replicates its log; here it is an object in the process. A decision is
on every node's metadata feed when the call returns, so that every node serves a topic when the
response to its creation is sent. A node that stops is fenced: it leaves the ISRs and loses its
leaderships until it registers again, with a higher broker epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.config.client_metrics import check_client_metrics_configs
from broker.config.dynamic import MIN_INSYNC_REPLICAS, check_min_insync_replicas
from broker.config.groups import check_group_configs
from broker.controller.client_quota_control import ClientQuotaControl
from broker.controller.cluster_state import Affects, ClusterState, Results
from broker.controller.database.store import ControllerStore
from broker.controller.feeds.feed import MetadataFeed, MetadataListener
from broker.controller.initial_settings import InitialSettings
from broker.controller.metadata.features import ELR_VERSION, FeatureUpdate, checked_levels
from broker.controller.metadata.image import Broker, PartitionRegistration, TopicImage
from broker.controller.partitions.alter_partition import AlterPartition, validate_alter_partition
from broker.controller.partitions.change_batch import ChangePartition, with_partitions
from broker.controller.partitions.elections import (
    after_start,
    clear_elr,
    elect_leader,
    elect_preferred_leader,
    has_leader,
    has_preferred_leader,
    is_needless,
    with_leader,
    without_crashed,
    without_fenced,
)
from broker.controller.partitions.new_topics import (
    CheckConfigs,
    Spend,
    unlimited,
)
from broker.controller.partitions.partition_change import Election, Rules, change_partition
from broker.controller.partitions.reassignments import (
    cancel_reassignment,
    check_target,
    is_reassigning,
    reassign,
)
from broker.controller.security.security_control import SecurityControl
from broker.controller.topic_control import TopicControl
from broker.steps.at_once import at_once
from broker.steps.queue import DONE, Signal, Slices, StepQueue, finish
from protocol.errors import ErrorCode

# Maps the present settings of a resource to those after a request.
ConfigsChanged = Callable[[dict[str, str]], dict[str, str]]

_NOTHING_TO_LEAD = "No such topic as {}", "No such partition as {}-{}"
_NOTHING_TO_MOVE = "Unable to find a topic named {}.", "Unable to find partition {}:{}."


class Controller:
    """Registers nodes, elects leaders, reassigns partitions, creates and deletes topics.

    ``check_configs`` raises `ApiError` INVALID_CONFIG for invalid topic configs. Changes of many
    partitions are made in one step until ``steps`` is set, which runs them in slices. ``topics``
    creates topics and partitions in slices, ``create_topic`` and ``create_partitions`` do so at
    once. ``security`` changes ACLs and credentials, and ``client_quotas`` quotas.
    """

    def __init__(self, store: ControllerStore, config: Config, check_configs: CheckConfigs) -> None:
        self._state = ClusterState(store, config)
        self.image = self._state.image
        self._check_configs = check_configs
        self.topics = TopicControl(self._state, self._state.config, check_configs)
        self.create_topic = at_once(self.topics.create)
        self.create_partitions = at_once(self.topics.grow)
        self.security = SecurityControl(self._state)
        self.client_quotas = ClientQuotaControl(self._state, config)
        self.initial_settings = InitialSettings(self._state, self.client_quotas, self.security)
        self._starting = False
        self.steps = StepQueue(lambda: 0.0)

    # ---------------------------------------------------------------------------------- nodes

    def register(
        self, broker: Broker, listener: MetadataListener, *, was_clean: bool = False
    ) -> MetadataFeed:
        """Add a node, or restore it with a new broker epoch; the node releases its feed.

        A node that comes back after an unclean shutdown is, as in Kafka, not in any ISR or ELR
        until it has caught up; without ELR, it remains in an ISR that has no other replica.
        Partitions without a leader get one if possible.
        """
        node_id = broker.node_id
        assert not self.image.alive(node_id), "a node registers once per start"
        if node_id in self.image.brokers and not was_clean:
            affects = _is_eligible if self._state.has_elr else _is_in_sync
            crashed = partial(without_crashed, node_id)
            finish(self._state.change_all(lambda _, each: affects(node_id, each), crashed))
        self._state.offline -= {each for each in self._state.offline if each[0] == node_id}
        feed = self._state.subscribe(node_id, listener)
        epoch = self._state.next_broker_epoch()
        self._state.put_broker(replace(broker, epoch=epoch, fenced=False))
        if not self._starting:
            self.elect_missing_leaders()
        return feed

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Nodes that register inside start together; leaders are elected at the end."""
        self._starting = True
        try:
            yield
        finally:
            self._starting = False
        alive = self.image.alive
        finish(
            self._state.change_all(
                lambda _, each: not has_leader(each) or not all(map(alive, each.isr)), after_start
            )
        )

    def fence(self, node_id: int) -> Signal:
        """Fence a node that has stopped; the signal is set when all partitions are changed."""
        self._state.unsubscribe(node_id)
        return self.expire_session(node_id)

    def expire_session(self, node_id: int) -> Signal:
        """Fence a node, which gets later metadata, unless it is unregistered or fenced already."""
        if not self.image.alive(node_id):
            return DONE
        self._state.put_broker(replace(self.image.brokers[node_id], fenced=True))
        return self._handle_broker_fenced(node_id)

    def resume_session(self, node_id: int) -> None:
        """Unfence a node in its epoch; partitions without a leader get one if possible."""
        if node_id in self.image.brokers:
            self._state.put_broker(replace(self.image.brokers[node_id], fenced=False))
            self.elect_missing_leaders()

    def unregister(self, node_id: int) -> None:
        """Remove a node until it registers again; a live one stops leading and following.

        Raises `ApiError` BROKER_ID_NOT_REGISTERED. Kafka's ``unregisterBroker``.
        """
        if node_id not in self.image.brokers:
            raise ApiError(
                ErrorCode.BROKER_ID_NOT_REGISTERED,
                f"Broker ID {node_id} is not currently registered",
            )
        self._state.remove_broker(node_id)
        self._handle_broker_fenced(node_id)

    def _handle_broker_fenced(self, node_id: int) -> Signal:
        """Apply the fencing to partitions; the node may return before all are done."""
        alive = self.image.alive
        return self._change_all(
            lambda _, partition: node_id in partition.isr and not alive(node_id),
            partial(without_fenced, node_id),
        )

    def replicas_failed(self, node_id: int, keys: Iterable[TopicPartition]) -> None:
        """Remove a node, whose disk with these partitions has failed, from their ISRs."""
        self._state.offline.update((node_id, key) for key in keys)
        offline = self._state.offline
        self._change_all(
            lambda key, partition: (node_id, key) in offline and node_id in partition.isr,
            partial(without_fenced, node_id),
        )

    @property
    def config(self) -> Config:
        """The configuration, with the dynamic settings of the node that is the controller."""
        return self._state.config

    @property
    def log_end_offset(self) -> int:
        """The number of changes since the start; Kafka has the metadata log's end offset."""
        return self._state.log_end_offset

    def lag(self, node_id: int) -> int:
        """The number of changes that a live node has not received yet."""
        return self._state.lag(node_id)

    # ----------------------------------------------------------------------------- partitions

    def alter_partition(self, change: AlterPartition) -> PartitionRegistration:
        """Change the ISR of a partition at its leader's request.

        Raises `ApiError` as Kafka's ``ReplicationControlManager.alterPartition``; also
        NEW_LEADER_ELECTED when the change completes a reassignment that removes the leader.
        """
        topic = validate_alter_partition(change, self.image)
        index = change.key.partition
        old = topic.partitions[index]
        wanted = replace(old, isr=change.new_isr)
        new = change_partition(old, wanted, self._state.rules(topic)(index))
        self._state.put_topics([with_partitions(topic, {index: new})])
        if new.leader != old.leader:
            raise ApiError(ErrorCode.NEW_LEADER_ELECTED)
        return new

    def elect_leaders(
        self, election: Election | int, partitions: Iterable[TopicPartition] | None = None
    ) -> Slices[Results]:
        """Hold elections for these or all partitions, or elect the node with that id.

        The result has an error or None for each. If *partitions* is None, partitions that need
        no election are left out. Kafka's ``electLeaders``.
        """
        keys = self._state.keys() if partitions is None else partitions
        decisions = dict.fromkeys(keys, partial(elect_leader, election))
        errors = yield from self._state.change_each(decisions.items(), _NOTHING_TO_LEAD)
        results = dict(zip(decisions, errors, strict=True))
        if partitions is not None:
            return results
        return {key: error for key, error in results.items() if not is_needless(error)}

    def reassign(
        self, key: TopicPartition, replicas: Sequence[int] | None, *, may_change_factor: bool = True
    ) -> None:
        """Move one partition, as `reassign_all`; raises `ApiError`."""
        moves = [(key, replicas)]
        (error,) = finish(self.reassign_all(moves, may_change_factor=may_change_factor))
        if error is not None:
            raise error

    def reassign_all(
        self,
        moves: Iterable[tuple[TopicPartition, Sequence[int] | None]],
        *,
        may_change_factor: bool = True,
    ) -> Slices[list[ApiError | None]]:
        """Reassign partitions to these replicas; None cancels a reassignment.

        The result has an error or None for each. Kafka's ``alterPartitionReassignments``.
        """

        def move(
            key: TopicPartition,
            replicas: Sequence[int] | None,
            old: PartitionRegistration,
            rules: Rules,
        ) -> PartitionRegistration:
            if replicas is None:
                return cancel_reassignment(key, old, rules)
            target = tuple(replicas)
            check_target(self.image, old, target, may_change_factor=may_change_factor)
            return reassign(target, old, rules)

        decisions = [(key, partial(move, key, replicas)) for key, replicas in moves]
        return self._state.change_each(decisions, _NOTHING_TO_MOVE)

    def reassignments(self) -> dict[TopicPartition, PartitionRegistration]:
        """The partitions with a reassignment in progress."""
        return {
            TopicPartition(topic.name, index): partition
            for topic in self.image
            for index, partition in enumerate(topic.partitions)
            if is_reassigning(partition)
        }

    def rebalance_leaders(self) -> None:
        """Return leadership to the preferred replicas (``maybeBalancePartitionLeaders``)."""
        self._change_all(lambda _, each: not has_preferred_leader(each), elect_preferred_leader)

    def elect_missing_leaders(self) -> None:
        """Elect leaders where there are none, unclean ones where they are allowed."""
        self._change_all(lambda _, each: not has_leader(each), with_leader)

    # --------------------------------------------------------------------------------- topics

    def topic(self, name: str) -> TopicImage | None:
        """The topic of that name."""
        return self.image.topic(name)

    def delete_topic(self, name: str, spend: Spend = unlimited) -> None:
        """Delete a topic; raises `ApiError` UNKNOWN_TOPIC_OR_PARTITION."""
        topic = self.topics.topic_or_error(name)
        spend(len(topic.partitions))
        self._state.remove_topic(topic)

    def alter_topic_configs(
        self, name: str, changed: ConfigsChanged, *, validate_only: bool = False
    ) -> None:
        """Replace a topic's settings with the result of *changed*; raises `ApiError`."""
        topic = self.image.topic(name)
        configs = changed({} if topic is None else topic.configs)
        self._check_configs(configs)
        if topic is None:
            raise ApiError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist."
            )
        if validate_only or configs == topic.configs:
            return
        partitions = topic.partitions
        if configs.get(MIN_INSYNC_REPLICAS) != topic.configs.get(MIN_INSYNC_REPLICAS):
            partitions = tuple(map(clear_elr, partitions))
        self._state.put_topics([replace(topic, configs=configs, partitions=partitions)])

    def alter_broker_configs(
        self, name: str, changed: ConfigsChanged, *, validate_only: bool = False
    ) -> None:
        """Store settings that a node has validated for itself or, under the empty name, for all."""
        before = self.image.broker_configs.get(name, {})
        configs = changed(before)
        if self._state.has_elr:
            check_min_insync_replicas(name, before, configs)
        if validate_only or configs == before:
            return
        if configs.get(MIN_INSYNC_REPLICAS) != before.get(MIN_INSYNC_REPLICAS):
            # Nodes apply it first, as Kafka's, in which both are one change.
            self._change_all(lambda *_: True, lambda old, _: clear_elr(old))
        self._state.put_broker_configs(name, configs)

    def alter_group_configs(
        self, group_id: str, changed: ConfigsChanged, *, validate_only: bool = False
    ) -> None:
        """Change the settings of a group, which need not exist.

        Raises `ApiError` INVALID_CONFIG.
        """
        before = self.image.group_configs.get(group_id, {})
        configs = changed(before)
        check_group_configs(self._state.config, configs)
        if not validate_only and configs != before:
            self._state.put_group_configs(group_id, configs)

    def alter_client_metrics(
        self, name: str, changed: ConfigsChanged, *, validate_only: bool = False
    ) -> None:
        """Change the settings of a client metrics subscription; raises `ApiError`."""
        before = self.image.client_metrics.get(name, {})
        configs = changed(before)
        check_client_metrics_configs(configs)
        if not validate_only and configs != before:
            self._state.put_client_metrics(name, configs)

    def update_features(self, updates: Iterable[FeatureUpdate], *, validate_only: bool) -> None:
        """Change levels, all of them or none; raises `ApiError` INVALID_UPDATE_VERSION."""
        levels = checked_levels(updates, self.image.feature_levels, self.image.controller_id)
        if levels and not validate_only:
            self._state.put_feature_levels(levels)
            if levels.get(ELR_VERSION):
                self._state.require_min_insync_replicas()

    def one_commit(self) -> AbstractContextManager[None]:
        """Write all changes made inside in one transaction; nodes get them afterwards."""
        return self._state.one_commit()

    def unapplied(self) -> Mapping[int, Signal]:
        """The nodes that lack changes (`ClusterState.unapplied`)."""
        return self._state.unapplied()

    def _change_all(self, affects: Affects, change: ChangePartition) -> Signal:
        """Change the partitions that *affects* selects, in slices; the signal is set at the end."""
        done = Signal()
        self.steps.start(self._state.change_all(affects, change), lambda _: done.set())
        return done

    def allocate_producer_ids(self) -> range:
        """A block of producer ids that was never returned before, including before a restart."""
        return self._state.allocate_producer_ids()

    def close(self) -> None:
        """Close the store."""
        self._state.close()


def _is_in_sync(node_id: int, partition: PartitionRegistration) -> bool:
    return node_id in partition.isr


def _is_eligible(node_id: int, partition: PartitionRegistration) -> bool:
    return node_id in partition.isr or node_id in partition.elr
