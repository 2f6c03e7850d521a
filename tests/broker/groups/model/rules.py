"""Invariants of groups, which are checked after each step.

The tables of a group are consistent, timeouts are scheduled for its members only, and the state in
memory is that of its log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import (
    COMPLETING_REBALANCE,
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
)
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.group_states import AnyGroup, GroupStates
from broker.groups.member_timers import Timeout, TimeoutKey
from protocol.schema import ZERO_UUID
from tests.broker.groups.model.overwritten_members import OverwrittenMembers
from tests.broker.groups.model.transactional_log import OffsetsOfGroup, offsets_of
from tests.broker.groups.model.violation import Violation
from tests.broker.groups.model.world import ModelWorld

_INT32_MAX = 2**31 - 1


class Rules:
    """Checks all groups of a world; raises `Violation`."""

    def __init__(self, world: ModelWorld) -> None:
        self._world = world
        # Groups whose log has refused a record: a classic group may be newer than its record.
        self.is_refusing = False
        self._refused: set[str] = set()
        # The groups that had no record when they were checked last.
        self._without_record: set[str] = set()
        self._overwritten = OverwrittenMembers()

    def check(self) -> None:
        """Check the state in memory and the logs."""
        self._world.check_parked()
        self._world.follow_logs()
        groups = self._world.node.groups.groups
        if self.is_refusing:
            self._refused |= groups.keys()
        self._overwritten.update(groups)
        for group_id, group in groups.items():
            _require(group.group_id == group_id, group, "has another group id")
            if isinstance(group, ConsumerGroup):
                self._check_consumer(group)
            elif isinstance(group, ClassicGroup):
                self._check_classic(group)
        self._check_logs(self._world.shadows, is_compacted=False)

    def check_compacted_logs(self) -> None:
        """Check compacted logs, which takes longer."""
        self._check_logs(self._world.compacted(), is_compacted=True)

    def check_offsets(self) -> None:
        """Check the offsets of all groups against the whole logs, which takes longer."""
        groups = self._world.node.groups
        for group_id, group in groups.groups.items():
            log = self._world.world.logs[groups.runtime.partition_for(group_id)]
            written = groups.states.offsets.written
            committed = {
                partition: each.offset for partition, each in written.committed(group_id).items()
            }
            expected = offsets_of(log.records, group_id)
            here = OffsetsOfGroup(committed, frozenset(written.pending(group_id)))
            _require(here == expected, group, f"has {here}, in the log {expected}")

    # ------------------------------------------------------------------------------------ groups

    def _check_consumer(self, group: ConsumerGroup) -> None:
        owned: Counter[Any] = Counter()
        for member_id, member in group.members.items():
            _require(member.member_id == member_id, group, f"{member_id} has another member id")
            _require(-2 <= member.member_epoch <= group.epoch, group, f"{member_id}: its epoch")
            if member.instance_id is not None:
                holder = group.static_members.get(member.instance_id)
                _require(holder == member_id, group, f"{member.instance_id} is {holder}")
            for topic_id, partitions in member.owned.items():
                owned.update((topic_id, partition) for partition in partitions)
        twice = [each for each, count in owned.items() if count > 1]
        _require(not twice, group, f"{twice} have several owners")
        noted = {(t, each) for t, owners in group.owners.items() for each in owners}
        _require(noted == owned.keys(), group, f"owners {noted}, owned {owned}")
        _require(
            group.target.keys() <= group.members.keys(),
            group,
            "a target assignment without its member",
        )
        targets = Counter(
            (topic_id, partition)
            for target in group.target.values()
            for topic_id, partitions in target.items()
            for partition in partitions
        )
        _require(max(targets.values(), default=1) == 1, group, "a partition with two targets")
        _require(0 <= group.assignment_epoch <= group.epoch <= _INT32_MAX, group, "epochs")
        _require(
            group.regexes.keys() <= group.subscribed_regexes(),
            group,
            "a regular expression without subscribers",
        )
        _require(not group.is_deleted, group, "is deleted")
        self._check_timeouts(group)
        self._check_metadata_hash(group)

    def _check_metadata_hash(self, group: ConsumerGroup) -> None:
        subscriptions = self._world.node.groups.consumers.subscriptions
        is_resolved = group.subscribed_regexes() == group.regexes.keys()
        if not is_resolved or group.group_id not in subscriptions._up_to_date:  # noqa: SLF001 - compared with the timers and caches
            return
        now = subscriptions.metadata_hash(group)
        _require(
            group.metadata_hash == now or self._overwritten.is_hash_kept(group),
            group,
            "has the metadata hash of other topics",
        )

    def _check_timeouts(self, group: ConsumerGroup) -> None:
        timer = self._world.node.groups.consumers.timeouts._timer  # noqa: SLF001 - compared with the timers and caches
        running = {
            (key.member_id, key.timeout)
            for key in timer._tasks  # noqa: SLF001 - compared with the timers and caches
            if isinstance(key, TimeoutKey) and key.group_id == group.group_id
        }
        # A classic member's session begins when its join is replicated.
        for member_id in () if self._world.is_slow else group.members:
            _require(
                (member_id, Timeout.SESSION) in running,
                group,
                f"{member_id} has no session timeout",
            )
        unknown = {member_id for member_id, _ in running} - group.members.keys()
        _require(not unknown, group, f"timeouts of {unknown}")

    def _check_classic(self, group: ClassicGroup) -> None:
        static = {
            member.group_instance_id: member_id
            for member_id, member in group.members.items()
            if member.group_instance_id is not None
        }
        _require(group.static_members == static, group, f"instances {group.static_members}")
        waiting = sum(member.awaiting_join is not None for member in group.members.values())
        _require(waiting == group.awaiting_join_count, group, f"{waiting} wait for a join")
        both = group.pending_join_members & group.members.keys()
        _require(not both, group, f"{both} are members and pending")
        if group.members:
            _require(group.leader_id in group.members, group, f"is led by {group.leader_id}")
        else:
            _require(group.leader_id is None, group, f"is led by {group.leader_id}")
        if group.state is EMPTY:
            _require(not group.members, group, "is empty and has members")
        if group.state in (COMPLETING_REBALANCE, STABLE):
            for member in group.members.values():
                member.metadata(group.protocol_name)
        else:
            syncing = [each for each in group.members.values() if each.awaiting_sync is not None]
            _require(not syncing, group, f"{syncing} sync")
        _require(0 <= group.generation_id <= _INT32_MAX, group, "generation")

    # ------------------------------------------------------------------------------------ logs

    def _check_logs(self, logged: Sequence[GroupStates], *, is_compacted: bool) -> None:
        world = self._world
        states = world.node.groups.states
        runtime = world.node.groups.runtime
        for group_id in {*states.groups, *(name for each in logged for name in each.groups)}:
            partition = runtime.partition_for(group_id)
            if partition not in world.led:
                continue
            memory, log = states.groups.get(group_id), logged[partition].groups.get(group_id)
            if memory is None or log is None:
                _require(
                    group_id in self._refused
                    or self._needs_no_record(states, memory, is_compacted=is_compacted),
                    memory or log,
                    f"is in the {'log' if memory is None else 'memory'} alone",
                )
                continue
            self._without_record.discard(group_id)
            _compare(memory, log, self._refused, is_compacted=is_compacted)
            here, there = (_offsets_of(each, group_id) for each in (states, logged[partition]))
            _require(here == there, memory, f"committed {here}, in the log {there}")
            pending, in_log = (
                each.offsets.written.pending(group_id) for each in (states, logged[partition])
            )
            _require(pending == in_log, memory, f"pending {pending}, in the log {in_log}")

    def _needs_no_record(
        self, states: GroupStates, group: AnyGroup | None, *, is_compacted: bool
    ) -> bool:
        """Whether a group may be in the memory alone.

        A commit without valid offsets creates one, whose first generation is written when its
        leader has synced.
        """
        if not isinstance(group, ClassicGroup):
            return False
        group_id, written = group.group_id, states.offsets.written
        has_offsets = written.committed(group_id) or written.pending(group_id)
        if group.protocol_type:
            is_first = group_id in self._without_record and not has_offsets
            return is_first and group.state in (PREPARING_REBALANCE, COMPLETING_REBALANCE)
        if not group.is_simple or has_offsets:
            return is_compacted
        self._without_record.add(group_id)
        return True


def _offsets_of(states: GroupStates, group_id: str) -> Any:
    """The offsets of a group; the topic id is not compared if the record has no field for it."""
    return {
        partition: offset
        if offset.expire_timestamp_ms is None
        else replace(offset, topic_id=ZERO_UUID)
        for partition, offset in states.offsets.written.committed(group_id).items()
    }


def _compare(memory: AnyGroup, log: AnyGroup, refused: set[str], *, is_compacted: bool) -> None:
    _require(type(memory) is type(log), memory, f"is a {type(log).__name__} in the log")
    if isinstance(memory, ConsumerGroup):
        assert isinstance(log, ConsumerGroup)
        for name in (
            *("epoch", "metadata_hash", "assignment_epoch", "assignment_timestamp_ms"),
            *("members", "target", "regexes"),
        ):
            here, there = getattr(memory, name), getattr(log, name)
            _require(here == there, memory, f"{name}: {here}, in the log {there}")
        here, there = memory.static_members, log.static_members
        # A former instance id of a member is lost by compaction.
        _require(
            there.items() <= here.items() if is_compacted else here == there,
            memory,
            f"instances {here}, in the log {there}",
        )
        return
    assert isinstance(log, ClassicGroup)
    assert isinstance(memory, ClassicGroup)
    if memory.group_id in refused or memory.state not in (STABLE, EMPTY):
        return
    for name in ("generation_id", "protocol_name", "leader_id", "static_members", "state"):
        here, there = getattr(memory, name), getattr(log, name)
        _require(here == there, memory, f"{name}: {here}, in the log {there}")
    here_parts = {each.member_id: each.assignment for each in memory.members.values()}
    there_parts = {each.member_id: each.assignment for each in log.members.values()}
    _require(here_parts == there_parts, memory, f"{here_parts}, in the log {there_parts}")


def _require(holds: bool, group: AnyGroup | None, what: str) -> None:
    if not holds:
        name = "?" if group is None else f"{type(group).__name__} {group.group_id!r}"
        raise Violation(f"{name}: {what}")
