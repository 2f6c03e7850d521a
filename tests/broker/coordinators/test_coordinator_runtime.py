"""Appends first, responses later (mirrors ``CoordinatorRuntimeTest``)."""

from __future__ import annotations

from functools import partial
from itertools import count

import pytest

from broker.common.errors import ApiError
from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.records.classic import GroupMetadataKey
from broker.groups.records.serde import GROUP_RECORDS
from broker.steps.queue import Slices, StepQueue, completed
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.broker.coordinators.kept_log import KeptLog
from tests.finished_slices import finish_slices
from tests.purgatories.manual_clock import ManualClock

COMMIT_TIMEOUT_MS = 5000
# Two keys whose records are in partition 0 of two, and one in partition 1.
B, D, A = "b", "d", "a"
RECORDS = [CoordinatorRecord(GroupMetadataKey(group="x"))]


class Keys(list[bytes]):
    """The state of a partition: the keys of its records."""

    def load(self, raw: RawRecord, _now_wall_ms: int) -> None:
        if raw.key == b"bad":
            raise ZeroDivisionError
        self.append(raw.key)

    def begin_unreplicated(self) -> None:
        """See `CoordinatorPlayback`."""

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        self.append(b"%d %s" % (producer_id, b"commit" if is_commit else b"abort"))


class Runtime:
    """A runtime whose node leads both partitions of its topic, and the coordinator that it runs.

    ``completed`` are the waits that have ended, with their errors; ``unloaded`` are the calls of
    the coordinator, and ``loaded`` those whose queued actions have run.
    """

    def __init__(self) -> None:
        self.completed: list[tuple[str, ErrorCode]] = []
        self.loaded: list[tuple[int, Keys]] = []
        self.unloaded: list[int] = []
        self._clock = ManualClock()
        self._timer = SystemTimer("test", now_ms=self._clock)
        self.actions = ActionQueue()
        self.steps = StepQueue(self._clock)
        self.runtime = CoordinatorRuntime(
            "__test",
            self,
            GROUP_RECORDS,
            self._timer,
            self.actions,
            self.steps,
            lambda: 0,
            partition_count=2,
            commit_timeout_ms=COMMIT_TIMEOUT_MS,
        )
        self.logs = [
            KeptLog(partial(self.runtime.on_high_watermark, index), self.actions.add)
            for index in (0, 1)
        ]
        for index, log in enumerate(self.logs):
            self.runtime.on_election(index, log)
        self.loaded.clear()

    def new_state(self) -> Keys:
        return Keys()

    def adopt(self, partition: int, state: Keys) -> Slices[None]:
        return completed(None)

    def on_loaded(self, partition: int, state: Keys) -> None:
        self.actions.add(lambda: self.loaded.append((partition, state)))

    def on_replicated(self, partition: int, state: Keys) -> Slices[None]:
        return completed(None)

    def on_unloaded(self, partition: int) -> Slices[None]:
        self.unloaded.append(partition)
        return completed(None)

    def write(self, key: str, name: str) -> None:
        self.runtime.write(key, RECORDS, lambda error: self.completed.append((name, error)))

    def wait(self, key: str, name: str) -> None:
        self.runtime.when_replicated(key, lambda error: self.completed.append((name, error)))

    def pass_to(self, time_ms: float) -> None:
        self._clock.advance_to(time_ms, self._timer)


@pytest.fixture
def world() -> Runtime:
    return Runtime()


def slow(world: Runtime, index: int = 0) -> KeptLog:
    """Let the followers of a partition lag."""
    log = world.logs[index]
    log.slow = True
    return log


def long_log(world: Runtime, *keys: bytes) -> KeptLog:
    """A log that is read one record at a time, in slices of two records."""
    world.steps.now_ms = count().__next__
    log = KeptLog()
    log.read_max = 1
    log.append([RawRecord(key, None) for key in keys])
    return log


# ---------------------------------------------------------------------------------- leadership


def refusal(world: Runtime) -> ErrorCode | None:
    """The error of a request for a key of partition 0."""
    try:
        world.runtime.check(B)
    except ApiError as refused:
        return refused.code
    return None


def test_a_key_is_coordinated_where_its_partition_is_led_and_loaded(world: Runtime) -> None:
    """Mirrors testScheduleLoading; the actions that `on_loaded` queues run in the same step."""
    errors = [refusal(world)]
    world.runtime.on_resignation(0)
    errors.append(refusal(world))
    world.runtime.on_election(0, long_log(world, b"1", b"2"))
    errors.append(refusal(world))
    finish_slices(world.steps)
    errors.append(refusal(world))

    assert errors == [
        None,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        None,
    ]
    assert world.loaded == [(0, [b"1", b"2"])]


def test_all_keys_are_known_when_every_led_partition_is_loaded(world: Runtime) -> None:
    """Partitions that other nodes lead do not matter."""
    world.runtime.on_resignation(0)
    world.runtime.check_all()
    world.runtime.on_election(0, long_log(world, b"1", b"2"))

    assert (world.runtime.is_loading(B), world.runtime.is_loading(A)) == (True, False)
    with pytest.raises(ApiError, match="COORDINATOR_LOAD_IN_PROGRESS"):
        world.runtime.check_all()


def test_a_partition_that_cannot_be_loaded_has_no_coordinator(
    world: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    """Mirrors testScheduleLoadingWithFailure; the offset is logged, and an unforeseen traceback."""
    world.runtime.on_resignation(0)
    world.unloaded.clear()
    world.runtime.on_election(0, long_log(world, b"1", b"bad"))
    finish_slices(world.steps)

    assert (refusal(world), world.loaded, world.unloaded) == (ErrorCode.NOT_COORDINATOR, [], [0])
    assert "partition 0 of __test cannot be loaded because of offset 1" in caplog.text
    assert "Traceback" in caplog.text


def test_a_resignation_ends_the_loading(world: Runtime) -> None:
    """The rest of the log is not read."""
    world.runtime.on_resignation(0)
    world.runtime.on_election(0, long_log(world, b"1", b"2"))
    world.runtime.on_resignation(0)
    finish_slices(world.steps)

    assert (refusal(world), world.loaded) == (ErrorCode.NOT_COORDINATOR, [])


def test_a_partition_that_is_not_led_refuses_writes(world: Runtime) -> None:
    """Mirrors testScheduleWriteOpWhenInactive; other partitions are not affected."""
    world.runtime.on_resignation(0)
    world.write(B, "late")
    world.write(A, "other")

    assert world.completed == [("late", ErrorCode.NOT_COORDINATOR), ("other", ErrorCode.NONE)]
    assert world.logs[0].records == []


def test_a_resignation_refuses_waiting_writes(world: Runtime) -> None:
    """Each is completed once, whatever happens later."""
    log = slow(world)
    world.write(B, "b")
    world.runtime.on_resignation(0)
    log.replicate()
    world.pass_to(60_000)

    assert world.completed == [("b", ErrorCode.NOT_COORDINATOR)]


def test_loaded_records_may_not_be_replicated(world: Runtime) -> None:
    """The log of a new leader can be ahead of its high watermark; responses wait for that."""
    world.runtime.on_resignation(0)
    log = slow(world)
    log.append([RawRecord(b"key", None)])
    world.runtime.on_election(0, log)
    world.wait(B, "b")
    assert world.completed == []

    log.replicate()

    assert world.completed == [("b", ErrorCode.NONE)]


# ------------------------------------------------------------------------------------- writing


def test_a_response_waits_for_the_records_before_it(world: Runtime) -> None:
    """Mirrors testScheduleWriteOp: each completes when its own records are replicated, in order."""
    log = slow(world)
    world.write(B, "first")
    world.write(D, "second")
    assert (world.completed, world.runtime.is_replicated(B)) == ([], False)

    log.high_watermark = 1
    world.runtime.on_high_watermark(0)
    assert world.completed == [("first", ErrorCode.NONE)]
    assert not world.runtime.is_replicated(B)
    log.replicate()

    assert world.completed == [("first", ErrorCode.NONE), ("second", ErrorCode.NONE)]
    assert world.runtime.is_replicated(B)


def test_a_read_waits_for_earlier_writes(world: Runtime) -> None:
    """It reports state that rests on them, although it writes nothing itself."""
    log = slow(world)
    world.write(B, "write")
    world.wait(D, "read")
    world.wait(A, "elsewhere")
    assert world.completed == [("elsewhere", ErrorCode.NONE)]

    log.replicate()

    assert world.completed[1:] == [("write", ErrorCode.NONE), ("read", ErrorCode.NONE)]


def test_all_records_of_a_write_are_one_batch(world: Runtime) -> None:
    """They are replicated together or not at all; a write without records appends no batch."""
    world.runtime.append(B, RECORDS * 3)
    world.runtime.append(B, [])

    assert (len(world.logs[0].records), world.logs[0].batches) == (3, 1)


@pytest.mark.parametrize(
    ("error", "returned"),
    [
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
    ],
)
def test_a_refused_append_fails_with_an_error_of_coordinators(
    world: Runtime, error: ErrorCode, returned: ErrorCode
) -> None:
    """Mirrors testScheduleWriteOpWhenWriteFails: nothing waits for what was not appended."""
    world.logs[0].refusal = error
    world.write(B, "b")

    assert world.completed == [("b", returned)]
    assert world.runtime.is_replicated(B)


def test_a_write_that_is_not_replicated_in_time_fails(world: Runtime) -> None:
    """Its records stay in the log, and are replicated later."""
    log = slow(world)
    world.write(B, "b")
    world.pass_to(COMMIT_TIMEOUT_MS - 1)
    assert world.completed == []
    world.pass_to(COMMIT_TIMEOUT_MS)
    assert world.completed == [("b", ErrorCode.COORDINATOR_NOT_AVAILABLE)]

    log.replicate()

    assert len(world.completed) == 1
    assert world.runtime.is_replicated(B)


def test_a_write_may_have_a_timeout_of_its_own(world: Runtime) -> None:
    """Transactions wait for as long as the transaction may take."""
    slow(world)
    world.runtime.write(B, RECORDS, lambda error: world.completed.append(("b", error)), 100)

    world.pass_to(100)

    assert world.completed == [("b", ErrorCode.COORDINATOR_NOT_AVAILABLE)]


def test_the_coordinator_epoch_is_the_leader_epoch_of_the_loaded_partition(world: Runtime) -> None:
    """A node that leads the partition again has another one."""
    log = KeptLog()
    log.leader_epoch = 7
    world.runtime.on_resignation(0)

    world.runtime.on_election(0, log)

    assert world.runtime.coordinator_epoch(B) == 7


# ------------------------------------------------------------------------------------- waiting


def test_an_action_that_waits_for_replication_has_no_timeout(world: Runtime) -> None:
    """It has no response that could fail."""
    log = slow(world)
    done: list[str] = []
    world.runtime.once_replicated(B, lambda: done.append("at once"))
    world.write(B, "b")
    world.runtime.once_replicated(B, lambda: done.append("later"))
    world.pass_to(600_000)
    assert done == ["at once"]

    log.replicate()

    assert done == ["at once", "later"]


def test_an_action_that_waits_for_replication_ends_with_the_leadership(world: Runtime) -> None:
    """The next coordinator runs it when it loads the partition."""
    slow(world)
    world.write(B, "b")
    world.runtime.once_replicated(B, lambda: world.completed.append(("done", ErrorCode.NONE)))
    world.runtime.on_resignation(0)

    assert world.completed == [("b", ErrorCode.NOT_COORDINATOR)]


def test_an_append_that_moves_the_high_watermark_completes_waits_with_the_actions(
    world: Runtime,
) -> None:
    """The caller of append applies its records first; no time passes until the actions run."""
    log = slow(world)
    world.write(B, "first")
    log.slow = False
    world.runtime.append(B, RECORDS)
    assert world.completed == []

    world.actions.try_complete_actions()

    assert world.completed == [("first", ErrorCode.NONE)]
    assert world.runtime.is_replicated(B)


def test_the_high_watermark_of_a_partition_that_is_not_led_has_no_effect(world: Runtime) -> None:
    """A listener may be called once more after the node has resigned."""
    slow(world)
    world.write(B, "b")
    world.runtime.on_resignation(0)
    world.runtime.on_high_watermark(0)

    assert world.completed == [("b", ErrorCode.NOT_COORDINATOR)]
