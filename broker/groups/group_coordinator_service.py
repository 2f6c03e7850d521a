"""The group coordinator of a node (Kafka's ``GroupCoordinatorService``).

It looks up the group of each request and calls the part that implements the group's protocol. The
handlers let responses wait for replication (`broker.api.handlers.groups.replicated`): when a method
returns, its records are appended but may not be replicated.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.config import Config
from broker.config.groups import GroupConfigs
from broker.controller.metadata.image import GROUP_METADATA_TOPIC, MetadataImage
from broker.coordinators.acting_slices import acting, run_without_cause
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.classic.coordinator import ClassicGroupCoordinator
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_metadata_record import group_metadata_record
from broker.groups.classic.requests import (
    UNKNOWN_MEMBER_ID,
    JoinCallback,
    JoinGroup,
    JoinResult,
    SyncCallback,
    SyncGroup,
    SyncResult,
)
from broker.groups.consumer.classic_members import ClassicMembers
from broker.groups.consumer.coordinator import ConsumerGroupCoordinator
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.long_heartbeats import LongHeartbeats
from broker.groups.consumer.migration import Migration
from broker.groups.departures import Departures
from broker.groups.group_lifecycle import GroupLifecycle
from broker.groups.group_parts import GroupParts
from broker.groups.group_states import AnyGroup, GroupStates
from broker.groups.member_timers import member_timeouts
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.groups.offset_metadata_manager import OffsetMetadataManager, PreparedTombstones
from broker.groups.records.serde import GROUP_RECORDS
from broker.groups.share.coordinator import ShareGroupCoordinator
from broker.groups.share.group import ShareGroup
from broker.groups.share.offsets import FindEndOffset
from broker.groups.snapshot_changes import SnapshotChanges
from broker.groups.streams.coordinator import StreamsGroupCoordinator
from broker.groups.streams.group import StreamsGroup
from broker.groups.time_limits import MemberTimeout, RebalanceLimit
from broker.groups.transaction_completion import complete_transaction
from broker.share.persister import Persister
from broker.steps.offload import Offload
from broker.steps.queue import Slices, StepQueue
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker
from purgatories.action_queue import ActionQueue
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.groups")


class GroupCoordinatorService:
    """The groups that a node coordinates."""

    def __init__(
        self,
        config: Config,
        clock: Clock,
        timer: SystemTimer,
        actions: ActionQueue,
        steps: StepQueue,
        rebalance_purgatory: DelayedOperationPurgatory[Any],
        heartbeat_purgatory: DelayedOperationPurgatory[Any],
        image: Callable[[], MetadataImage],
        offload: Offload,
        persister: Callable[[], Persister],
        find_end: FindEndOffset,
    ) -> None:
        self.states = GroupStates(self._partition_for)
        self.runtime = CoordinatorRuntime(
            GROUP_METADATA_TOPIC,
            self,
            GROUP_RECORDS,
            timer,
            actions,
            steps,
            clock.wall_ms,
            partition_count=config.offsets_topic_num_partitions,
            commit_timeout_ms=config.offsets_commit_timeout_ms,
        )
        self._actions = actions
        self._config = config
        self._clock = clock
        self._timer = CoordinatorTimer(timer, actions)
        topics = CoordinatorMetadataImage(image)
        parts = GroupParts(
            config,
            clock,
            self.runtime,
            self.states,
            self._timer,
            topics,
            GroupConfigs(config),
            actions,
        )
        self._classic = ClassicGroupCoordinator(
            config, clock, self.runtime, actions, rebalance_purgatory, heartbeat_purgatory
        )
        migration = Migration(parts, self._classic)
        self.consumers = ConsumerGroupCoordinator(parts, migration, offload)
        self.share = ShareGroupCoordinator(parts, persister, find_end)
        self.streams = StreamsGroupCoordinator(
            parts, lambda group: self._classic.retire(group, ErrorCode.UNKNOWN_MEMBER_ID)
        )
        self.changes = SnapshotChanges(self.states, topics, offload)
        self.long_heartbeats = LongHeartbeats(self.consumers, self.states, self.changes)
        self._classic_members = ClassicMembers(self.runtime, self.consumers, migration)
        self.departures = Departures(
            self.runtime, self.states, self._classic, self._classic_members
        )
        self._lifecycle = GroupLifecycle(
            self.states, self._classic, self.consumers, self.share, self.streams
        )
        self.offsets = OffsetMetadataManager(parts, self._classic.reschedule_heartbeat)

    @property
    def groups(self) -> dict[str, AnyGroup]:
        """The groups by id, also those that are being adopted or dropped."""
        return self.states.groups

    def coordinated(self) -> Iterator[AnyGroup]:
        """The groups whose partitions are loaded."""
        for partition in self.runtime.loaded_partitions():
            for group_id in self.states.ids(partition):
                yield self.groups[group_id]

    # ------------------------------------------------------------------------ join and sync

    def join_group(self, request: JoinGroup, on_response: JoinCallback) -> None:
        """Handle a JoinGroup; *on_response* is called once, now or later."""
        try:
            self._check_join(request)
        except ApiError as error:
            on_response(JoinResult(error=error.code, member_id=request.member_id))
            return
        try:
            self.runtime.check(request.group_id)
            self._join(request, on_response)
        except ApiError as error:
            # Kafka returns no member id from the wrong node or a group of the other protocol.
            on_response(JoinResult(error=error.code, member_id=UNKNOWN_MEMBER_ID))

    def _check_join(self, request: JoinGroup) -> None:
        _check_group_id(request.group_id)
        shortest = self._config.group_min_session_timeout_ms
        longest = self._config.group_max_session_timeout_ms
        if not shortest <= request.session_timeout_ms <= longest:
            raise ApiError(ErrorCode.INVALID_SESSION_TIMEOUT)

    def _join(self, request: JoinGroup, on_response: JoinCallback) -> None:
        group = self.groups.get(request.group_id)
        if isinstance(group, ConsumerGroup) and not group.is_empty:
            self._classic_members.join(group, request, on_response)
            return
        if isinstance(group, ShareGroup) or (
            isinstance(group, StreamsGroup) and not group.is_empty
        ):
            raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if not isinstance(group, ClassicGroup):
            if request.member_id != UNKNOWN_MEMBER_ID:
                unknown = ErrorCode.UNKNOWN_MEMBER_ID
                on_response(JoinResult(error=unknown, member_id=request.member_id))
                return
            group = self._create_classic(request.group_id, group)
        self._classic.join(group, request, on_response)

    def _create_classic(
        self, group_id: str, instead_of: ConsumerGroup | StreamsGroup | None
    ) -> ClassicGroup:
        """Create a group and append its record before a member has joined, as Kafka does."""
        group = ClassicGroup(group_id, self._clock.wall_ms())
        before = [] if instead_of is None else instead_of.tombstones()
        self.runtime.append(group_id, [*before, group_metadata_record(group, {})])
        if instead_of is not None:
            self._lifecycle.retire(instead_of, ErrorCode.UNKNOWN_MEMBER_ID)
        self.states.put(group)
        return group

    def sync_group(self, request: SyncGroup, on_response: SyncCallback) -> None:
        """Handle a SyncGroup; *on_response* is called once, now or later."""
        try:
            _check_group_id(request.group_id)
            group = self._group_of_member(request.group_id)
            if isinstance(group, ClassicGroup):
                self._classic.sync(group, request, on_response)
                return
            result = self._classic_members.sync(group, request)
        except ApiError as error:
            on_response(SyncResult(error=error.code))
        else:
            self.runtime.when_replicated(
                request.group_id,
                lambda error: on_response(SyncResult(error=error) if error else result),
            )

    # ---------------------------------------------------------------------------- heartbeat

    def heartbeat(
        self, group_id: str, member_id: str, group_instance_id: str | None, generation_id: int
    ) -> ErrorCode:
        """Handle a Heartbeat; REBALANCE_IN_PROGRESS if the member must join again.

        Raises `ApiError` if the member or its generation is wrong. While the group is being loaded
        every heartbeat succeeds, as in Kafka.
        """
        _check_group_id(group_id)
        if self.runtime.is_loading(group_id):
            return ErrorCode.NONE
        group = self._group_of_member(group_id)
        if isinstance(group, ClassicGroup):
            return self._classic.heartbeat(group, member_id, group_instance_id, generation_id)
        return self._classic_members.heartbeat(group, member_id, group_instance_id, generation_id)

    def _group_of_member(self, group_id: str) -> ClassicGroup | ConsumerGroup:
        self.runtime.check(group_id)
        group = self.groups.get(group_id)
        if group is None or isinstance(group, ShareGroup | StreamsGroup):
            raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
        return group

    # ------------------------------------------------------------------------------- limits

    def rebalance_limit(self, group_id: str) -> RebalanceLimit | None:
        """The limit of what a group waits for; None if it waits for no join or sync."""
        group = self.groups.get(group_id)
        return self._classic.rebalance_limit(group) if isinstance(group, ClassicGroup) else None

    def member_timeouts(self) -> Iterator[MemberTimeout]:
        """The sessions and other timeouts of the members of all groups."""
        return chain(self._classic.timeouts(), member_timeouts(self._timer))

    # ----------------------------------------------------------------------- administration

    def group(self, group_id: str) -> AnyGroup:
        """Return the group, of either protocol; raises `ApiError` if it does not exist."""
        self.runtime.check(group_id)
        group = self.groups.get(group_id)
        if group is None:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        return group

    def delete_group(self, group_id: str, offsets: PreparedTombstones | None = None) -> None:
        """Delete an empty group and its offsets; raises `ApiError`.

        *offsets* are the tombstones of its offsets, if they have been prepared in slices.
        """
        group = self.group(group_id)
        group.check_deletion()
        self._delete(group, offsets)

    def remove_group(self, group_id: str) -> None:
        """Delete a group, also one with members, and its offsets; raises `ApiError`.

        Waiting requests of members get UNKNOWN_MEMBER_ID, as their next ones do.
        """
        self._delete(self.group(group_id))
        self._actions.try_complete_actions()

    def expire_offsets(self) -> Slices[None]:
        """Delete expired offsets, and groups that have neither offsets nor members left."""
        return acting(self._expire_offsets(), self._actions, run_without_cause)

    def _expire_offsets(self) -> Slices[None]:
        for group_id in [group.group_id for group in self.coordinated()]:
            if (yield from self.offsets.expire(group_id)):
                self._delete_unused(group_id)
            yield None

    def _delete_unused(self, group_id: str) -> None:
        """Delete a group without members, unless it keeps the states of its share partitions."""
        group = self.groups.get(group_id)
        if group is None or isinstance(group, ShareGroup) or not group.is_empty:
            return
        try:
            self._delete(group)
        except ApiError as error:
            log.warning("group %s cannot be deleted: %s", group_id, error)

    def _delete(self, group: AnyGroup, offsets: PreparedTombstones | None = None) -> None:
        records = self.offsets.tombstones(group.group_id, offsets)
        records.add(group.tombstones())
        self.runtime.append(group.group_id, records)
        self._lifecycle.retire(group, ErrorCode.UNKNOWN_MEMBER_ID)
        self.states.remove(group.group_id)
        # Earlier writes may be replicated after this.
        remove = partial(self.states.offsets.replicated.remove, group.group_id)
        self.runtime.once_replicated(group.group_id, remove)

    # ------------------------------------------------------------------------------ loading

    def new_state(self) -> GroupStates:
        """See `Coordinator`."""
        return GroupStates()

    def adopt(self, partition: int, state: GroupStates) -> Slices[None]:
        """See `Coordinator`: the sessions of the members begin."""
        return self._lifecycle.adopt(partition, state)

    def on_loaded(self, partition: int, state: GroupStates) -> None:
        """See `Coordinator`."""
        if state.groups:
            log.info("loaded %d groups from partition %d", len(state.groups), partition)

    def on_replicated(self, partition: int, state: GroupStates) -> Slices[None]:  # noqa: ARG002 - see `Coordinator`
        """See `Coordinator`: OffsetFetch returns the loaded offsets."""
        return self._lifecycle.on_replicated(state)

    def on_unloaded(self, partition: int) -> Slices[None]:
        """See `Coordinator`: waiting requests are refused with NOT_COORDINATOR."""
        return self._lifecycle.drop(partition)

    def _partition_for(self, group_id: str) -> int:
        return self.runtime.partition_for(group_id)

    # ------------------------------------------------------------------------- transactions

    def complete_transaction(
        self,
        partition: int,
        producer_id: int,
        producer_epoch: int,
        coordinator_epoch: int,
        commit: bool,
        transaction_version: int,
        on_response: Callable[[ErrorCode], None],
    ) -> None:
        """Write a transaction marker to a partition of ``__consumer_offsets``.

        *on_response* is called once, now or later, with the error of the partition in the response
        to WriteTxnMarkers. *coordinator_epoch* is that of the transaction coordinator.
        """
        complete_transaction(
            self.runtime,
            self.states.offsets,
            partition,
            producer_id,
            producer_epoch,
            EndTxnMarker(not commit, coordinator_epoch),
            transaction_version,
            on_response,
        )

    # ------------------------------------------------------------------------------- topics

    def on_topic_deleted(self, name: str, topic_id: UUID) -> Slices[None]:
        """Delete the offsets of a topic that has been deleted, and forget its share partitions."""
        deletion = self.offsets.on_topic_deleted(name)
        yield from acting(deletion, self._actions, run_without_cause)
        self.share.initialization.topics_deleted([topic_id])
        self._actions.try_complete_actions()

    def topics_changed(self, topics: Iterable[str]) -> None:
        """Topics were created, changed or deleted: the groups that subscribe to them rebalance."""
        self.consumers.topics_changed(frozenset(topics))


def _check_group_id(group_id: str) -> None:
    if not group_id:
        raise ApiError(ErrorCode.INVALID_GROUP_ID)
