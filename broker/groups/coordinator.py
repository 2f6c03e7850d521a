"""Finds a group and passes each request on to the coordinator of its protocol.

Responses wait for replication in the handlers (`broker.api.handlers.replicated`): what a method
returns here has been written, but may not be replicated yet.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.config import Config
from broker.controller.image import MetadataImage
from broker.groups.classic.coordinator import ClassicGroupCoordinator
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.requests import (
    UNKNOWN_MEMBER_ID,
    JoinCallback,
    JoinGroup,
    JoinResult,
    LeavingMember,
    SyncCallback,
    SyncGroup,
    SyncResult,
)
from broker.groups.consumer.classic_members import ClassicMembers
from broker.groups.consumer.coordinator import ConsumerGroupCoordinator
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.long_heartbeats import LongHeartbeats
from broker.groups.consumer.migration import Migration
from broker.groups.consumer.topics import Topics
from broker.groups.coordinator_log import CoordinatorLog
from broker.groups.coordinator_timer import CoordinatorTimer
from broker.groups.group_states import AnyGroup, GroupStates
from broker.groups.loader import Loader
from broker.groups.offset_metadata_manager import OffsetMetadataManager
from broker.groups.records.serde import InconsistentRecord, Record
from broker.groups.runtime import CoordinatorRuntime
from broker.steps.offload import Offload
from protocol.codec import Malformed
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.groups")

_UNREADABLE = (ApiError, CorruptRecords, InconsistentRecord, Malformed)


class GroupCoordinator:
    """The groups of a node."""

    def __init__(
        self,
        config: Config,
        clock: Clock,
        timer: SystemTimer,
        actions: ActionQueue,
        rebalance_purgatory: DelayedOperationPurgatory[Any],
        heartbeat_purgatory: DelayedOperationPurgatory[Any],
        image: Callable[[], MetadataImage],
        offload: Offload,
    ) -> None:
        self.states = GroupStates()
        self.runtime = CoordinatorRuntime(
            timer, actions, config.offsets_topic_num_partitions, config.offsets_commit_timeout_ms
        )
        self._actions = actions
        self._config = config
        self._clock = clock
        self._timer = timer
        self._loaders: dict[int, Loader] = {}
        keyed = CoordinatorTimer(timer, actions)
        topics = Topics(image)
        self._classic = ClassicGroupCoordinator(
            config, clock, self.runtime, actions, rebalance_purgatory, heartbeat_purgatory
        )
        migration = Migration(config, clock, self.runtime, self.states, topics, self._classic)
        self.consumers = ConsumerGroupCoordinator(
            config, clock, self.runtime, self.states, keyed, topics, migration, offload
        )
        self.long_heartbeats = LongHeartbeats(self.consumers, self.states, offload)
        self._classic_members = ClassicMembers(self.runtime, self.consumers, migration)
        self.offsets = OffsetMetadataManager(
            config, clock, self.runtime, self.states, self._classic.heard_of
        )

    @property
    def groups(self) -> dict[str, AnyGroup]:
        """The groups that there are."""
        return self.states.groups

    # ------------------------------------------------------------------------ join and sync

    def join_group(self, request: JoinGroup, on_response: JoinCallback) -> None:
        """Join the next generation; *on_response* is called once, now or later."""
        try:
            self._check_join(request)
        except ApiError as error:
            on_response(JoinResult(error=error.code, member_id=request.member_id))
            return
        try:
            self.runtime.check(request.group_id)
            self._join(request, on_response)
        except ApiError as error:
            # Who asks the wrong node, or a group of the other protocol, is called nothing by Kafka.
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
        if not isinstance(group, ClassicGroup):
            if request.member_id != UNKNOWN_MEMBER_ID:
                unknown = ErrorCode.UNKNOWN_MEMBER_ID
                on_response(JoinResult(error=unknown, member_id=request.member_id))
                return
            group = self._create_classic(request.group_id, group)
        self._classic.join(group, request, on_response)

    def _create_classic(self, group_id: str, instead_of: ConsumerGroup | None) -> ClassicGroup:
        """A new group, written down before anybody has joined it, as in Kafka."""
        group = ClassicGroup(group_id, self._clock.wall_ms())
        before = [] if instead_of is None else instead_of.tombstones()
        self.runtime.append(group_id, [*before, group.record({})])
        if instead_of is not None:
            self.consumers.retire(instead_of)
        self.groups[group_id] = group
        return group

    def sync_group(self, request: SyncGroup, on_response: SyncCallback) -> None:
        """Bring or fetch the assignment; *on_response* is called once, now or later."""
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

    # ------------------------------------------------------------------ heartbeat and leave

    def heartbeat(
        self, group_id: str, member_id: str, group_instance_id: str | None, generation_id: int
    ) -> ErrorCode:
        """A sign of life; REBALANCE_IN_PROGRESS when it is time to join again.

        Raises `ApiError` for one that comes from nobody we know. While the group is being loaded
        nobody is unknown, as in Kafka.
        """
        _check_group_id(group_id)
        if self.runtime.is_loading(group_id):
            return ErrorCode.NONE
        group = self._group_of_member(group_id)
        if isinstance(group, ClassicGroup):
            return self._classic.heartbeat(group, member_id, group_instance_id, generation_id)
        return self._classic_members.heartbeat(group, member_id, group_instance_id, generation_id)

    def leave_group(self, group_id: str, leaving: Sequence[LeavingMember]) -> list[ErrorCode]:
        """Take members out, each with its own error; raises `ApiError` for the whole group."""
        _check_group_id(group_id)
        self.runtime.check(group_id)
        group = self.groups.get(group_id)
        if group is None:
            return [ErrorCode.UNKNOWN_MEMBER_ID] * len(leaving)
        if isinstance(group, ClassicGroup):
            return self._classic.leave(group, leaving)
        return self._classic_members.leave(group, leaving)

    def _group_of_member(self, group_id: str) -> AnyGroup:
        self.runtime.check(group_id)
        group = self.groups.get(group_id)
        if group is None:
            raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
        return group

    # ----------------------------------------------------------------------- administration

    def group(self, group_id: str) -> AnyGroup:
        """The group of that name, of whatever kind; raises `ApiError` if there is none."""
        self.runtime.check(group_id)
        group = self.groups.get(group_id)
        if group is None:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        return group

    def delete_group(self, group_id: str) -> None:
        """Delete an empty group and its offsets; raises `ApiError`."""
        group = self.group(group_id)
        group.check_deletion()
        self._delete(group)

    def expire_offsets(self) -> None:
        """Forget what is too old, and groups that have nothing and nobody left."""
        for group in list(self.groups.values()):
            if self.offsets.expire(group.group_id) and group.is_empty:
                try:
                    self._delete(group)
                except ApiError as error:
                    log.warning("group %s stays: %s", group.group_id, error)
        self._actions.try_complete_actions()

    def _delete(self, group: AnyGroup) -> None:
        records: list[Record] = [*self.offsets.tombstones(group.group_id), *group.tombstones()]
        self.runtime.append(group.group_id, records)
        if isinstance(group, ClassicGroup):
            self._classic.retire(group, ErrorCode.UNKNOWN_MEMBER_ID)
        else:
            self.consumers.retire(group)
        self.states.remove(group.group_id)

    # --------------------------------------------------------------------------- leadership

    def lead(self, partition: int, coordinator_log: CoordinatorLog) -> None:
        """Look after the groups of a partition of ``__consumer_offsets`` from now on."""
        self.runtime.load(partition)
        loader = self._loaders[partition] = Loader(
            self._timer,
            coordinator_log,
            self._clock.wall_ms,
            partial(self._loaded, partition, coordinator_log),
            partial(self._load_failed, partition),
        )
        loader.run()

    def _loaded(self, partition: int, coordinator_log: CoordinatorLog, loaded: GroupStates) -> None:
        self.runtime.lead(partition, coordinator_log)
        self.states.adopt(loaded)
        for group_id, group in loaded.groups.items():
            offsets = loaded.offsets.written(group_id)
            replicate = partial(self.states.offsets.replicate, group_id, offsets)
            self.runtime.once_replicated(group_id, replicate)
            if isinstance(group, ClassicGroup):
                self._classic.take_over(group, None)
            else:
                self.consumers.loaded(group)
        del self._loaders[partition]
        self._actions.try_complete_actions()
        if loaded.groups:
            log.info("coordinator of %d groups of partition %d", len(loaded.groups), partition)

    def _load_failed(self, partition: int, offset: int, error: Exception) -> None:
        log.error(
            "groups of partition %d of __consumer_offsets cannot be loaded, because of offset %d: "
            "%s: %s",
            *(partition, offset, type(error).__name__, error),
            # What a log may hold is foreseen; anything else is a bug that the traceback shows.
            exc_info=None if isinstance(error, _UNREADABLE) else error,
        )
        self.resign(partition)

    def resign(self, partition: int) -> None:
        """Give up the groups of a partition: who waits is sent to look for the coordinator."""
        loader = self._loaders.pop(partition, None)
        if loader is not None:
            loader.cancel()
        for group_id, group in list(self.groups.items()):
            if self.runtime.partition_for(group_id) == partition:
                if isinstance(group, ClassicGroup):
                    self._classic.retire(group, ErrorCode.NOT_COORDINATOR)
                else:
                    self.consumers.retire(group)
                self.states.remove(group_id)
        self.runtime.resign(partition)
        self._actions.try_complete_actions()

    def on_topics_deleted(self, topics: Sequence[str]) -> None:
        """Forget what was committed for topics that have been deleted."""
        self.offsets.on_topics_deleted(topics)
        self._actions.try_complete_actions()

    def topics_changed(self, topics: Iterable[str]) -> None:
        """Topics have come, gone or grown: groups that read them are assigned anew."""
        self.consumers.topics_changed(frozenset(topics))


def _check_group_id(group_id: str) -> None:
    if not group_id:
        raise ApiError(ErrorCode.INVALID_GROUP_ID)
