"""Mutants of the high watermark and of acknowledgements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.replication.leader_state import LeaderState
from broker.replication.partition import Partition
from broker.replication.replica import UNKNOWN_OFFSET, Replica
from broker.storage.log.unified_log import UnifiedLog
from protocol.errors import ErrorCode
from tests.simulation.mutants.registry import mutant


@mutant(0)
def the_high_watermark_does_not_wait_for_followers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LeaderState, "_replicated_end", lambda self: self._log.log_end_offset_metadata)


@mutant(0)
def the_high_watermark_waits_for_one_follower_only(patch: pytest.MonkeyPatch) -> None:
    def replicated_end(self: LeaderState) -> Any:
        ends = [
            r.log_end_offset_metadata
            for r in self.replicas.values()
            if r.node_id in self.isr.maximal
        ]
        return max(
            ends, key=lambda end: end.message_offset, default=self._log.log_end_offset_metadata
        )

    patch.setattr(LeaderState, "_replicated_end", replicated_end)


@mutant(9)
def the_high_watermark_moves_below_min_isr(patch: pytest.MonkeyPatch) -> None:
    def maybe_increment(self: LeaderState) -> bool:
        return self._log.maybe_increment_high_watermark(self._replicated_end())

    patch.setattr(LeaderState, "maybe_increment_high_watermark", maybe_increment)


@mutant(4)
def the_high_watermark_can_go_back(patch: pytest.MonkeyPatch) -> None:
    def maybe_increment(self: UnifiedLog, to: Any) -> bool:
        before = self.high_watermark
        return self.update_high_watermark(to) != before

    patch.setattr(UnifiedLog, "maybe_increment_high_watermark", maybe_increment)


@mutant(0)
def a_produce_is_acknowledged_when_it_is_appended(patch: pytest.MonkeyPatch) -> None:
    def check_enough_replicas(self: Partition, _offset: int) -> tuple[bool, ErrorCode]:
        return self.is_leader, ErrorCode.NONE

    patch.setattr(Partition, "check_enough_replicas", check_enough_replicas)


@mutant(0)
def consumers_see_the_log_end(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        UnifiedLog, "high_watermark_metadata", property(lambda self: self.log_end_offset_metadata)
    )


@mutant(5)
def a_new_leader_keeps_old_replica_states(patch: pytest.MonkeyPatch) -> None:
    known: dict[UnifiedLog, dict[int, Replica]] = {}
    resign, begin, reset = LeaderState.resign, LeaderState.begin, Replica.reset

    def and_remember(self: LeaderState) -> None:
        known[self._log] = self.replicas
        resign(self)

    def and_recall(self: LeaderState, registration: Any, *, new_leader: bool) -> bool:
        if new_leader:
            self.replicas = known.pop(self._log, {})
        return begin(self, registration, new_leader=new_leader)

    def as_it_was(self: Replica, *, new_leader: bool, **rest: Any) -> None:
        reset(self, new_leader=new_leader and self.log_end_offset == UNKNOWN_OFFSET, **rest)

    patch.setattr(LeaderState, "resign", and_remember)
    patch.setattr(LeaderState, "begin", and_recall)
    patch.setattr(Replica, "reset", as_it_was)


@mutant(5)
def a_former_leader_acknowledges(patch: pytest.MonkeyPatch) -> None:
    check = Partition.check_enough_replicas

    def check_enough_replicas(self: Partition, offset: int) -> tuple[bool, ErrorCode]:
        if self.is_leader:
            return check(self, offset)
        return self.log.high_watermark >= offset, ErrorCode.NONE

    patch.setattr(Partition, "check_enough_replicas", check_enough_replicas)


@mutant(0)
def a_duplicate_is_acknowledged_immediately(patch: pytest.MonkeyPatch) -> None:
    append = Partition.append_as_leader

    def and_wait_for_nothing(self: Partition, *arguments: Any, **options: Any) -> Any:
        info, moved = append(self, *arguments, **options)
        return replace(info, last_offset=-1) if info.duplicate else info, moved

    patch.setattr(Partition, "append_as_leader", and_wait_for_nothing)


@mutant(0)
def a_deletion_does_not_wait_for_followers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LeaderState, "low_watermark", lambda self: self._log.log_start_offset)
