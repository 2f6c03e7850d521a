"""Writes first, answers later (mirrors ``CoordinatorRuntimeTest``)."""

from __future__ import annotations

from functools import partial

import pytest

from broker.common.errors import ApiError
from broker.groups.records.classic import GroupMetadataKey
from broker.groups.records.serde import RawRecord, Record
from broker.groups.runtime import CoordinatorRuntime
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.broker.groups.kept_log import KeptLog
from tests.purgatories.manual_clock import ManualClock

COMMIT_TIMEOUT_MS = 5000
# Two groups whose records lie in partition 0 of two, and one in partition 1.
B, D, A = "b", "d", "a"
SOMETHING = [Record(GroupMetadataKey(group="x"))]


class Runtime:
    """A runtime that leads both partitions of its topic; ``told`` is what waiters were told."""

    def __init__(self) -> None:
        self._clock = ManualClock()
        self._timer = SystemTimer("test", now_ms=self._clock)
        self.actions = ActionQueue()
        self.runtime = CoordinatorRuntime(self._timer, self.actions, 2, COMMIT_TIMEOUT_MS)
        self.logs = [
            KeptLog(partial(self.runtime.on_high_watermark, index), self.actions.add)
            for index in (0, 1)
        ]
        for index, log in enumerate(self.logs):
            self.runtime.lead(index, log)
        self.told: list[tuple[str, ErrorCode]] = []

    def write(self, group_id: str, who: str) -> None:
        self.runtime.write(group_id, SOMETHING, lambda error: self.told.append((who, error)))

    def wait(self, group_id: str, who: str) -> None:
        self.runtime.when_replicated(group_id, lambda error: self.told.append((who, error)))

    def pass_to(self, time_ms: float) -> None:
        self._clock.advance_to(time_ms, self._timer)


@pytest.fixture
def world() -> Runtime:
    return Runtime()


def slow(world: Runtime, index: int = 0) -> KeptLog:
    """Let the replicas of a partition lag behind."""
    log = world.logs[index]
    log.slow = True
    return log


# ---------------------------------------------------------------------------------- leadership


def refusal(world: Runtime) -> ErrorCode | None:
    """What those are told who ask for a group of partition 0."""
    try:
        world.runtime.check(B)
    except ApiError as refused:
        return refused.code
    return None


def test_groups_are_looked_after_where_their_partition_is_led(world: Runtime) -> None:
    """Mirrors testScheduleLoading: clients are told to wait, or to look for another node."""
    told = [refusal(world)]
    for step in (world.runtime.resign, world.runtime.load):
        step(0)
        told.append(refusal(world))
    world.runtime.lead(0, KeptLog())
    told.append(refusal(world))

    assert told == [
        None,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        None,
    ]


def test_who_wants_to_know_all_groups_waits_for_the_last_to_be_loaded(world: Runtime) -> None:
    """Partitions that are led elsewhere are none of ours."""
    world.runtime.resign(0)
    world.runtime.check_all()
    world.runtime.load(0)

    assert (world.runtime.is_loading(B), world.runtime.is_loading(A)) == (True, False)
    with pytest.raises(ApiError, match="COORDINATOR_LOAD_IN_PROGRESS"):
        world.runtime.check_all()


def test_a_partition_that_is_not_led_takes_nothing(world: Runtime) -> None:
    """Mirrors testScheduleWriteOpWhenInactive; the other one goes on."""
    world.runtime.resign(0)
    world.write(B, "late")
    world.write(A, "other")

    assert world.told == [("late", ErrorCode.NOT_COORDINATOR), ("other", ErrorCode.NONE)]
    assert world.logs[0].records == []


def test_who_waits_when_the_coordinator_moves_away_looks_for_the_next(world: Runtime) -> None:
    """Nobody is told twice."""
    log = slow(world)
    world.write(B, "b")
    world.runtime.resign(0)
    log.replicate()
    world.pass_to(60_000)

    assert world.told == [("b", ErrorCode.NOT_COORDINATOR)]


def test_what_is_loaded_may_not_be_replicated_yet(world: Runtime) -> None:
    """A new leader's log can be ahead of its high watermark; answers wait for that."""
    world.runtime.resign(0)
    log = slow(world)
    log.append([RawRecord(b"key", None)])
    world.runtime.lead(0, log)
    world.wait(B, "b")
    assert world.told == []

    log.replicate()

    assert world.told == [("b", ErrorCode.NONE)]


# ------------------------------------------------------------------------------------- writing


def test_an_answer_waits_for_what_was_written_before_it(world: Runtime) -> None:
    """Mirrors testScheduleWriteOp: each is told when its own write is replicated, in order."""
    log = slow(world)
    world.write(B, "first")
    world.write(D, "second")
    assert (world.told, world.runtime.is_replicated(B)) == ([], False)

    log.high_watermark = 1
    world.runtime.on_high_watermark(0)
    assert (world.told, world.runtime.is_replicated(B)) == ([("first", ErrorCode.NONE)], False)
    log.replicate()

    assert world.told == [("first", ErrorCode.NONE), ("second", ErrorCode.NONE)]
    assert world.runtime.is_replicated(B)


def test_a_read_waits_for_earlier_writes(world: Runtime) -> None:
    """What it tells rests on them; it writes nothing itself."""
    log = slow(world)
    world.write(B, "write")
    world.wait(D, "read")
    world.wait(A, "elsewhere")
    assert world.told == [("elsewhere", ErrorCode.NONE)]

    log.replicate()

    assert world.told[1:] == [("write", ErrorCode.NONE), ("read", ErrorCode.NONE)]


def test_all_records_of_a_write_are_one_batch(world: Runtime) -> None:
    """So they come through together or not at all; nothing to write is no batch."""
    world.runtime.append(B, SOMETHING * 3)
    world.runtime.append(B, [])

    assert (len(world.logs[0].records), world.logs[0].batches) == (3, 1)


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
    ],
)
def test_a_log_that_refuses_is_told_in_the_words_of_coordinators(
    world: Runtime, refusal: ErrorCode, told: ErrorCode
) -> None:
    """Mirrors testScheduleWriteOpWhenWriteFails: nobody waits for what was not written."""
    world.logs[0].refusal = refusal
    world.write(B, "b")

    assert world.told == [("b", told)]
    assert world.runtime.is_replicated(B)


def test_a_write_that_is_not_replicated_in_time(world: Runtime) -> None:
    """It counts all the same when it comes through."""
    log = slow(world)
    world.write(B, "b")
    world.pass_to(COMMIT_TIMEOUT_MS - 1)
    assert world.told == []
    world.pass_to(COMMIT_TIMEOUT_MS)
    assert world.told == [("b", ErrorCode.COORDINATOR_NOT_AVAILABLE)]

    log.replicate()

    assert len(world.told) == 1
    assert world.runtime.is_replicated(B)


# ------------------------------------------------------------------------------------- waiting


def test_what_must_be_done_once_replicated_waits_for_ever(world: Runtime) -> None:
    """There is nobody who could be told that it takes too long."""
    log = slow(world)
    done: list[str] = []
    world.runtime.once_replicated(B, lambda: done.append("at once"))
    world.write(B, "b")
    world.runtime.once_replicated(B, lambda: done.append("later"))
    world.pass_to(600_000)
    assert done == ["at once"]

    log.replicate()

    assert done == ["at once", "later"]


def test_what_must_be_done_once_replicated_is_dropped_with_the_partition(world: Runtime) -> None:
    """The next coordinator does it."""
    slow(world)
    world.write(B, "b")
    world.runtime.once_replicated(B, lambda: world.told.append(("done", ErrorCode.NONE)))
    world.runtime.resign(0)

    assert world.told == [("b", ErrorCode.NOT_COORDINATOR)]


def test_an_append_that_moves_the_high_watermark_completes_waits_with_the_actions(
    world: Runtime,
) -> None:
    """The caller of append applies its records first; no time passes until the actions run."""
    log = slow(world)
    world.write(B, "first")
    log.slow = False
    world.runtime.append(B, SOMETHING)
    assert world.told == []

    world.actions.try_complete_actions()

    assert world.told == [("first", ErrorCode.NONE)]
    assert world.runtime.is_replicated(B)


def test_the_mark_of_a_partition_that_is_not_led_moves_nothing(world: Runtime) -> None:
    """A listener may be called once more after the node has resigned."""
    slow(world)
    world.write(B, "b")
    world.runtime.resign(0)
    world.runtime.on_high_watermark(0)

    assert world.told == [("b", ErrorCode.NOT_COORDINATOR)]
