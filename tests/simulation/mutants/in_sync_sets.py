"""Mutants of the in-sync replicas, on the leader."""

from __future__ import annotations

from typing import Any

import pytest

from broker.controller.partitions import partition_change
from broker.replication.isr_state import IsrState
from broker.replication.leader_state import LeaderState
from broker.replication.partition import Partition
from broker.replication.replica import Replica
from tests.simulation.mutants.registry import mutant


@mutant(8)
def a_pending_newcomer_is_not_waited_for(patch: pytest.MonkeyPatch) -> None:
    def pending_expand(self: IsrState, newcomer: int) -> IsrState:
        return IsrState(self.committed, self.committed, (*self.committed, newcomer))

    patch.setattr(IsrState, "pending_expand", pending_expand)


@mutant(8)
def a_change_with_unknown_outcome_is_undone(patch: pytest.MonkeyPatch) -> None:
    decided = LeaderState._handle_alter_partition_response  # noqa: SLF001 - a mutant replaces it

    def and_take_back(self: LeaderState, state: IsrState, response: Any) -> None:
        decided(self, state, response)
        if self.isr is state and self._should_retry:
            self.isr = IsrState.of(state.committed)

    patch.setattr(LeaderState, "_handle_alter_partition_response", and_take_back)


@mutant(10)
def a_lagging_follower_is_never_removed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LeaderState, "maybe_shrink_isr", lambda self: None)


@mutant(13)
def a_crashed_replica_stays_eligible(patch: pytest.MonkeyPatch) -> None:
    eligible = partition_change._eligible  # noqa: SLF001 - a mutant replaces it

    def whatever_it_lost(partition: Any, target: Any, rules: Any, _crashed: Any) -> Any:
        return eligible(partition, target, rules, ())

    patch.setattr(partition_change, "_eligible", whatever_it_lost)


@mutant(33)
def a_pending_leaver_is_not_waited_for(patch: pytest.MonkeyPatch) -> None:
    def pending_shrink(self: IsrState, leavers: frozenset[int]) -> IsrState:
        rest = tuple(node for node in self.committed if node not in leavers)
        return IsrState(rest, rest, rest)

    patch.setattr(IsrState, "pending_shrink", pending_shrink)


@mutant(0)
def every_follower_may_join(patch: pytest.MonkeyPatch) -> None:
    def maybe_expand_isr(self: LeaderState, replica: Replica) -> None:
        if replica.node_id not in self.isr.maximal and self.isr.proposed is None:
            self._submit_alter_partition(self.isr.pending_expand(replica.node_id))

    patch.setattr(LeaderState, "_maybe_expand_isr", maybe_expand_isr)


@mutant(0)
def no_follower_joins_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LeaderState, "_maybe_expand_isr", lambda self, replica: None)


@mutant(0)
def a_caught_up_follower_is_removed(patch: pytest.MonkeyPatch) -> None:
    def is_caught_up(self: LeaderState, replica: Replica) -> bool:
        lag_max_ms = self._node.replica_lag_time_max_ms / 2
        return replica.is_caught_up(self._log.log_end_offset, self._node.now_ms(), lag_max_ms)

    patch.setattr(LeaderState, "_is_caught_up", is_caught_up)


@mutant(115)
def the_high_watermark_does_not_wait_for_joining_followers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LeaderState, "_may_still_join", lambda self, replica: False)


@mutant(16)
def a_newcomer_need_not_reach_the_epoch_start(patch: pytest.MonkeyPatch) -> None:
    expand = LeaderState._maybe_expand_isr  # noqa: SLF001 - a mutant replaces it

    def maybe_expand_isr(self: LeaderState, replica: Replica) -> None:
        start, self.epoch_start_offset = self.epoch_start_offset, 0
        expand(self, replica)
        self.epoch_start_offset = start

    patch.setattr(LeaderState, "_maybe_expand_isr", maybe_expand_isr)


@mutant(50)
def an_earlier_broker_epoch_is_accepted(patch: pytest.MonkeyPatch) -> None:
    check = LeaderState.check_follower

    def check_follower(self: LeaderState, node_id: int, _broker_epoch: int, epoch: int) -> None:
        check(self, node_id, -1, epoch)

    patch.setattr(LeaderState, "check_follower", check_follower)


@mutant(1)
def a_produce_below_min_isr_is_accepted(patch: pytest.MonkeyPatch) -> None:
    append = Partition.append_as_leader

    def append_as_leader(self: Partition, records: Any, _acks: int, *rest: Any) -> Any:
        return append(self, records, 1, *rest)

    patch.setattr(Partition, "append_as_leader", append_as_leader)
