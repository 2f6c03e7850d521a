"""The simulation can fail: with each rule broken by itself, some seed tells.

A mutant is one rule of replication replaced by a plausible mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from broker.connection import Connection
from broker.controller import isr_changes, partition_change
from broker.controller.isr_changes import IsrChange
from broker.replication import log_reader
from broker.replication.follower import fetcher
from broker.replication.isr_state import IsrState
from broker.replication.leadership import Leadership
from broker.replication.partition import Partition
from broker.replication.replica import UNKNOWN_OFFSET, Replica
from broker.replication.waiting import Waiting
from broker.storage.log import Log
from protocol.errors import ErrorCode
from purgatories.operations.delayed_partitions import DelayedPartitions
from tests.simulation.run import play
from tests.simulation.test_simulation import SEEDS

Mutate = Callable[[pytest.MonkeyPatch], None]
MUTANTS: dict[str, tuple[Mutate, int]] = {}


def mutant(first_seed: int) -> Callable[[Mutate], Mutate]:
    """Add one to the list, with a seed that was seen to notice it."""

    def add(mutate: Mutate) -> Mutate:
        MUTANTS[mutate.__name__] = mutate, first_seed
        return mutate

    return add


# ----------------------------------------------------------------------------- high watermark


@mutant(0)
def the_high_watermark_does_not_wait_for_followers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leadership, "_replicated_end", lambda self: self._log.end_metadata)


@mutant(0)
def the_high_watermark_waits_for_one_follower_only(patch: pytest.MonkeyPatch) -> None:
    def replicated_end(self: Leadership) -> Any:
        ends = [r.log_end for r in self.replicas.values() if r.node_id in self.isr.maximal]
        return max(ends, key=lambda end: end.message_offset, default=self._log.end_metadata)

    patch.setattr(Leadership, "_replicated_end", replicated_end)


@mutant(5)
def the_high_watermark_moves_below_min_isr(patch: pytest.MonkeyPatch) -> None:
    def maybe_increment(self: Leadership) -> bool:
        return self._log.maybe_increment_high_watermark(self._replicated_end())

    patch.setattr(Leadership, "maybe_increment_high_watermark", maybe_increment)


@mutant(0)
def the_high_watermark_can_go_back(patch: pytest.MonkeyPatch) -> None:
    def maybe_increment(self: Log, to: Any) -> bool:
        before = self.high_watermark
        return self.update_high_watermark(to) != before

    patch.setattr(Log, "maybe_increment_high_watermark", maybe_increment)


@mutant(0)
def a_produce_is_acknowledged_when_it_is_appended(patch: pytest.MonkeyPatch) -> None:
    def check_enough_replicas(self: Partition, _offset: int) -> tuple[bool, ErrorCode]:
        return self.is_leader, ErrorCode.NONE

    patch.setattr(Partition, "check_enough_replicas", check_enough_replicas)


@mutant(1)
def consumers_see_the_log_end(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Log, "high_watermark_metadata", property(lambda self: self.end_metadata))


@mutant(3)
def a_new_leader_believes_what_it_knew_of_followers(patch: pytest.MonkeyPatch) -> None:
    known: dict[Log, dict[int, Replica]] = {}
    resign, begin, reset = Leadership.resign, Leadership.begin, Replica.reset

    def and_remember(self: Leadership) -> None:
        known[self._log] = self.replicas
        resign(self)

    def and_recall(self: Leadership, registration: Any, *, new_leader: bool) -> bool:
        if new_leader:
            self.replicas = known.pop(self._log, {})
        return begin(self, registration, new_leader=new_leader)

    def as_it_was(self: Replica, *, new_leader: bool, **rest: Any) -> None:
        reset(self, new_leader=new_leader and self.log_end_offset == UNKNOWN_OFFSET, **rest)

    patch.setattr(Leadership, "resign", and_remember)
    patch.setattr(Leadership, "begin", and_recall)
    patch.setattr(Replica, "reset", as_it_was)


@mutant(57)
def a_former_leader_acknowledges(patch: pytest.MonkeyPatch) -> None:
    check = Partition.check_enough_replicas

    def check_enough_replicas(self: Partition, offset: int) -> tuple[bool, ErrorCode]:
        if self.is_leader:
            return check(self, offset)
        return self.log.high_watermark >= offset, ErrorCode.NONE

    patch.setattr(Partition, "check_enough_replicas", check_enough_replicas)


@mutant(0)
def a_duplicate_is_acknowledged_at_once(patch: pytest.MonkeyPatch) -> None:
    append = Partition.append_as_leader

    def and_wait_for_nothing(self: Partition, *arguments: Any) -> Any:
        appended = append(self, *arguments)
        info = appended.info
        return replace(appended, info=info._replace(last_offset=-1)) if info.duplicate else appended

    patch.setattr(Partition, "append_as_leader", and_wait_for_nothing)


@mutant(1)
def a_deletion_does_not_wait_for_followers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leadership, "low_watermark", lambda self: self._log.log_start_offset)


# ------------------------------------------------------------------------------- in-sync sets


@mutant(11)
def who_joins_is_not_waited_for_before_the_answer(patch: pytest.MonkeyPatch) -> None:
    def expanding(self: IsrState, newcomer: int) -> IsrState:
        return IsrState(self.committed, self.committed, (*self.committed, newcomer))

    patch.setattr(IsrState, "expanding", expanding)


@mutant(37)
def a_change_that_may_have_been_made_is_taken_back(patch: pytest.MonkeyPatch) -> None:
    decided = Leadership._decided

    def and_take_back(self: Leadership, state: IsrState, answer: Any) -> None:
        decided(self, state, answer)
        if self.isr is state and self._ask_again:
            self.isr = IsrState.of(state.committed)

    patch.setattr(Leadership, "_decided", and_take_back)


@mutant(8)
def who_lags_is_never_dropped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leadership, "maybe_shrink_isr", lambda self: None)


@mutant(53)
def who_has_crashed_stays_eligible(patch: pytest.MonkeyPatch) -> None:
    eligible = partition_change._eligible

    def whatever_it_lost(partition: Any, target: Any, min_isr: int, _crashed: Any) -> Any:
        return eligible(partition, target, min_isr, ())

    patch.setattr(partition_change, "_eligible", whatever_it_lost)


@mutant(15)
def who_leaves_is_not_waited_for_before_the_answer(patch: pytest.MonkeyPatch) -> None:
    def shrinking(self: IsrState, leavers: frozenset[int]) -> IsrState:
        rest = tuple(node for node in self.committed if node not in leavers)
        return IsrState(rest, rest, rest)

    patch.setattr(IsrState, "shrinking", shrinking)


@mutant(6)
def everybody_may_join_the_set(patch: pytest.MonkeyPatch) -> None:
    def maybe_expand_isr(self: Leadership, replica: Replica) -> None:
        if replica.node_id not in self.isr.maximal and self.isr.proposed is None:
            self._propose(self.isr.expanding(replica.node_id))

    patch.setattr(Leadership, "_maybe_expand_isr", maybe_expand_isr)


@mutant(0)
def nobody_joins_the_set_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leadership, "_maybe_expand_isr", lambda self, replica: None)


@mutant(0)
def who_keeps_up_is_dropped(patch: pytest.MonkeyPatch) -> None:
    def is_caught_up(self: Leadership, replica: Replica) -> bool:
        lag_max_ms = self._node.replica_lag_time_max_ms / 2
        return replica.is_caught_up(self._log.log_end_offset, self._node.now_ms(), lag_max_ms)

    patch.setattr(Leadership, "_is_caught_up", is_caught_up)


@mutant(0)
def the_high_watermark_runs_away_from_who_catches_up(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leadership, "_may_still_join", lambda self, replica: False)


@mutant(0)
def who_joins_need_not_have_what_the_epoch_began_with(patch: pytest.MonkeyPatch) -> None:
    expand = Leadership._maybe_expand_isr

    def maybe_expand_isr(self: Leadership, replica: Replica) -> None:
        start, self.epoch_start_offset = self.epoch_start_offset, 0
        expand(self, replica)
        self.epoch_start_offset = start

    patch.setattr(Leadership, "_maybe_expand_isr", maybe_expand_isr)


@mutant(0)
def a_former_life_of_a_follower_counts(patch: pytest.MonkeyPatch) -> None:
    check = Leadership.check_follower

    def check_follower(self: Leadership, node_id: int, _broker_epoch: int, epoch: int) -> None:
        check(self, node_id, -1, epoch)

    patch.setattr(Leadership, "check_follower", check_follower)


@mutant(0)
def a_produce_is_taken_although_too_few_are_in_sync(patch: pytest.MonkeyPatch) -> None:
    append = Partition.append_as_leader

    def append_as_leader(self: Partition, records: Any, _acks: int, *rest: Any) -> Any:
        return append(self, records, 1, *rest)

    patch.setattr(Partition, "append_as_leader", append_as_leader)


# -------------------------------------------------------------------------------- controller


@mutant(0)
def a_change_of_an_older_partition_is_made(patch: pytest.MonkeyPatch) -> None:
    check = isr_changes._check_partition

    def check_partition(change: IsrChange, known: Any, brokers: Any) -> None:
        check(replace(change, partition_epoch=known.partition_epoch), known, brokers)

    patch.setattr(isr_changes, "_check_partition", check_partition)


@mutant(0)
def a_change_of_a_former_leader_is_made(patch: pytest.MonkeyPatch) -> None:
    check = isr_changes._check_partition

    def check_partition(change: IsrChange, known: Any, brokers: Any) -> None:
        if change.leader_epoch < known.leader_epoch:
            epochs = {name: getattr(known, name) for name in ("leader_epoch", "partition_epoch")}
            change = replace(change, node_id=known.leader, **epochs)
        check(change, known, brokers)

    patch.setattr(isr_changes, "_check_partition", check_partition)


@mutant(0)
def who_has_died_since_it_was_to_join_does_join(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        isr_changes,
        "_is_eligible",
        lambda broker, _epoch: broker is not None and not broker.fenced,
    )


@mutant(0)
def a_move_ends_before_who_is_added_is_in_sync(patch: pytest.MonkeyPatch) -> None:
    complete = partition_change._complete_reassignment

    def complete_at_once(target: Any) -> Any:
        everybody = replace(target, isr=(*target.isr, *target.adding_replicas))
        done = complete(everybody)
        isr = tuple(node for node in target.isr if node in done.replicas)
        return replace(done, isr=isr) if isr and done is not everybody else target

    patch.setattr(partition_change, "_complete_reassignment", complete_at_once)


# ------------------------------------------------------------------------- epochs, truncation


@mutant(2)
def a_follower_never_cuts_its_log(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(fetcher, "truncation_offset", lambda log, epoch, end: log.log_end_offset)


@mutant(12)
def a_leader_does_not_see_that_logs_diverge(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(log_reader, "diverging_epoch", lambda partition, epoch, offset: None)


@mutant(1)
def a_follower_cuts_to_its_high_watermark(patch: pytest.MonkeyPatch) -> None:
    make_follower = Partition.make_follower

    def and_cut(self: Partition, registration: Any) -> bool:
        new_epoch = make_follower(self, registration)
        if new_epoch:
            self.log.truncate_to(self.log.high_watermark)
        return new_epoch

    patch.setattr(Partition, "make_follower", and_cut)


@mutant(35)
def epochs_are_not_compared(patch: pytest.MonkeyPatch) -> None:
    def check_leader(self: Partition, epoch: int, *, leader_required: bool = True) -> None:
        if leader_required:
            self.leading()

    patch.setattr(Partition, "check_leader", check_leader)


@mutant(5)
def a_former_leader_listens_to_the_controller(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leadership, "resign", lambda self: None)


# ------------------------------------------------------------------------------------- waiting


@mutant(0)
def who_waits_for_the_high_watermark_is_not_woken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Waiting, "after_offsets_moved", lambda self, key, offset, replica=None: None)


@mutant(57)
def who_waits_at_a_former_leader_is_not_woken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Waiting, "after_leaving", lambda self, key, kind: None)


@mutant(9)
def a_duplicate_wakes_nobody(patch: pytest.MonkeyPatch) -> None:
    append = Partition.append_as_leader

    def and_tell_nobody(self: Partition, *arguments: Any) -> Any:
        appended: Any = append(self, *arguments)
        return replace(appended, high_watermark_moved=None) if appended.info.duplicate else appended

    patch.setattr(Partition, "append_as_leader", and_tell_nobody)


@mutant(0)
def waits_end_early(patch: pytest.MonkeyPatch) -> None:
    init = DelayedPartitions.__init__

    def impatient(self: Any, timeout_ms: float, *rest: Any) -> None:
        init(self, timeout_ms * 0.9, *rest)

    patch.setattr(DelayedPartitions, "__init__", impatient)


@mutant(0)
def waits_end_late(patch: pytest.MonkeyPatch) -> None:
    init = DelayedPartitions.__init__

    def patient(self: Any, timeout_ms: float, *rest: Any) -> None:
        init(self, timeout_ms + 20, *rest)

    patch.setattr(DelayedPartitions, "__init__", patient)


@mutant(0)
def an_answer_is_sent_twice(patch: pytest.MonkeyPatch) -> None:
    send_some = Connection._send_some

    def twice(self: Connection) -> None:
        again = b"".join(self._unsent)
        send_some(self)
        if len(again) % 7 == 0:
            self.transport.send([again])

    patch.setattr(Connection, "_send_some", twice)


@mutant(43)
def a_producer_is_forgotten_by_followers(patch: pytest.MonkeyPatch) -> None:
    append = Log.append_as_follower

    def and_forget(self: Log, *arguments: Any) -> Any:
        result = append(self, *arguments)
        self._producers.producers.clear()
        return result

    patch.setattr(Log, "append_as_follower", and_forget)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Broken brokers complain a lot."""
    with caplog.at_level("CRITICAL"):
        yield


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the seed that is known to, or else by one behind it that must run clean otherwise."""
    mutate, first = MUTANTS[name]
    mutate(monkeypatch)

    failures = (play(seed).failure for seed in range(first, SEEDS))

    assert any(failure is not None for failure in failures)
