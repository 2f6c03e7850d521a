"""Partitions are loaded and unloaded in slices (mirrors ``CoordinatorRuntimeTest``)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from broker.common.errors import ApiError
from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.records.classic import GroupMetadataKey
from broker.groups.records.serde import GROUP_RECORDS
from broker.steps.queue import Slices, StepQueue
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.broker.coordinators.kept_log import KeptLog
from tests.finished_slices import finish_slices
from tests.purgatories.manual_clock import ManualClock

KEY = "k"
PIECES = 6
RECORDS = [CoordinatorRecord(GroupMetadataKey(group="x"))]
LOADING, NOT_COORDINATOR = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.NOT_COORDINATOR


class Records(list[bytes]):
    """The state of the partition: the keys of its records."""

    def load(self, raw: RawRecord, _now_wall_ms: int) -> None:
        self.append(raw.key)

    def begin_unreplicated(self) -> None:
        """See `CoordinatorPlayback`."""

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        raise AssertionError(producer_id, is_commit)


class SlowCoordinator:
    """A coordinator that does everything in pieces, of which a slice runs two.

    ``done`` has the name of each piece, with the ``cause`` at that time. ``failure`` is raised by
    the last piece of `adopt`.
    """

    def __init__(self) -> None:
        self.done: list[str] = []
        self.cause = ""
        self.failure: Exception | None = None
        self.timer = SystemTimer("test", now_ms=ManualClock())
        self.steps = StepQueue(count().__next__)
        self.runtime = CoordinatorRuntime(
            "__test",
            self,
            GROUP_RECORDS,
            self.timer,
            ActionQueue(),
            self.steps,
            lambda: 0,
            partition_count=1,
            commit_timeout_ms=5000,
        )
        self.log = KeptLog(lambda: self.runtime.on_high_watermark(0))

    def new_state(self) -> Records:
        return Records()

    def adopt(self, partition: int, state: Records) -> Slices[None]:
        yield from self._pieces("adopt")
        if self.failure is not None:
            raise self.failure

    def on_loaded(self, partition: int, state: Records) -> None:
        self.done.append("loaded")

    def on_replicated(self, partition: int, state: Records) -> Slices[None]:
        return self._pieces("replicated")

    def on_unloaded(self, partition: int) -> Slices[None]:
        return self._pieces("unload")

    def _pieces(self, name: str) -> Slices[None]:
        for _ in range(PIECES):
            self.done.append(name + self.cause)
            yield None

    def elect(self) -> None:
        """Begin to lead the partition."""
        self.runtime.on_election(0, self.log)

    @property
    def refusal(self) -> ErrorCode | None:
        """The error of a request."""
        try:
            self.runtime.check(KEY)
        except ApiError as error:
            return error.code
        return None


@pytest.fixture
def coordinator() -> SlowCoordinator:
    return SlowCoordinator()


@pytest.fixture
def loaded(coordinator: SlowCoordinator) -> SlowCoordinator:
    coordinator.elect()
    finish_slices(coordinator.steps)
    coordinator.done.clear()
    return coordinator


def test_requests_are_refused_until_a_state_is_adopted(coordinator: SlowCoordinator) -> None:
    """Other tasks run in between; nothing is appended for a timeout that passes meanwhile."""
    coordinator.elect()
    assert 0 < len(coordinator.done) < PIECES
    assert coordinator.refusal is LOADING
    with pytest.raises(ApiError, match="COORDINATOR_LOAD_IN_PROGRESS"):
        coordinator.runtime.append(KEY, [])

    finish_slices(coordinator.steps)

    assert coordinator.refusal is None
    assert coordinator.done == ["adopt"] * PIECES + ["replicated"] * PIECES + ["loaded"]


def test_a_resignation_ends_the_adoption(coordinator: SlowCoordinator) -> None:
    """What has been adopted is unloaded."""
    coordinator.elect()
    adopted = len(coordinator.done)
    coordinator.runtime.on_resignation(0)
    assert coordinator.refusal is NOT_COORDINATOR

    finish_slices(coordinator.steps)

    assert coordinator.done == ["adopt"] * adopted + ["unload"] * PIECES
    assert coordinator.refusal is NOT_COORDINATOR


def test_a_partition_is_adopted_again_when_it_is_unloaded(loaded: SlowCoordinator) -> None:
    """However often the node resigns from it and is elected meanwhile."""
    for _ in range(2):
        loaded.runtime.on_resignation(0)
        loaded.elect()
    assert loaded.refusal is LOADING

    finish_slices(loaded.steps)

    order = ["unload"] * 2 * PIECES + ["adopt"] * PIECES + ["replicated"] * PIECES + ["loaded"]
    assert loaded.done == order
    loaded.runtime.check(KEY)


def test_waiting_writes_are_refused_at_the_end_of_the_unload(loaded: SlowCoordinator) -> None:
    """What waits for the key itself is refused before them."""
    completed: list[ErrorCode] = []
    loaded.log.slow = True
    loaded.runtime.write(KEY, RECORDS, completed.append)
    loaded.runtime.on_resignation(0)
    assert (loaded.refusal, completed) == (NOT_COORDINATOR, [])

    finish_slices(loaded.steps)

    assert completed == [NOT_COORDINATOR]


def test_responses_wait_until_the_loaded_state_is_noted_as_replicated(
    coordinator: SlowCoordinator,
) -> None:
    """Requests are accepted before that; those that wait for later records continue after it."""
    coordinator.log.slow = True
    coordinator.log.append([RawRecord(b"key", None)])
    coordinator.elect()
    finish_slices(coordinator.steps)
    completed: list[ErrorCode] = []
    coordinator.runtime.when_replicated(KEY, completed.append)
    assert (coordinator.refusal, coordinator.done[-1]) == (None, "loaded")

    coordinator.log.replicate()
    coordinator.log.replicate()
    assert (coordinator.runtime.is_replicated(KEY), completed) == (False, [])
    finish_slices(coordinator.steps)

    assert coordinator.done.count("replicated") == PIECES
    assert (coordinator.runtime.is_replicated(KEY), completed) == (True, [ErrorCode.NONE])


def test_a_resignation_ends_the_note_of_replicated_records(coordinator: SlowCoordinator) -> None:
    """The next load begins it again."""
    coordinator.log.slow = True
    coordinator.log.append([RawRecord(b"key", None)])
    coordinator.elect()
    finish_slices(coordinator.steps)
    coordinator.log.replicate()
    noted = coordinator.done.count("replicated")
    coordinator.runtime.on_resignation(0)

    finish_slices(coordinator.steps)

    assert coordinator.done.count("replicated") == noted < PIECES
    assert coordinator.done[-PIECES:] == ["unload"] * PIECES


def test_a_failed_adoption_leaves_no_coordinator(
    coordinator: SlowCoordinator, caplog: pytest.LogCaptureFixture
) -> None:
    """Also in a later slice."""
    coordinator.failure = ZeroDivisionError()
    coordinator.elect()
    finish_slices(coordinator.steps)

    assert coordinator.refusal is NOT_COORDINATOR
    assert coordinator.done == ["adopt"] * PIECES + ["unload"] * PIECES
    assert "partition 0 of __test cannot be loaded because of offset 0" in caplog.text


def test_the_end_of_the_node_ends_the_adoption(coordinator: SlowCoordinator) -> None:
    """Its timers are closed."""
    coordinator.elect()
    coordinator.timer.close()
    finish_slices(coordinator.steps)

    assert len(coordinator.done) <= PIECES
    assert coordinator.refusal is LOADING


def test_each_piece_of_a_resignation_has_its_cause(loaded: SlowCoordinator) -> None:
    """The pieces complete requests that wait for groups."""

    def run(action: Callable[[], object]) -> None:
        loaded.cause = " because of a resignation"
        action()
        loaded.cause = ""

    loaded.runtime.on_resignation(0, run)
    finish_slices(loaded.steps)

    assert loaded.done == ["unload because of a resignation"] * PIECES
