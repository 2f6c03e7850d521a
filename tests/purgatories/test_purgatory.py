"""Kafka's DelayedOperationTest, then bad input and what is ours."""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from math import inf
from random import Random
from threading import Lock

import pytest

from purgatories.purgatory import PURGE_DELAY_MS, DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock, MockOperation


class Setting:
    """A purgatory on a manual clock."""

    def __init__(self, **options: int) -> None:
        self.clock = ManualClock()
        self.timer = SystemTimer("mock", now_ms=self.clock)
        self.purgatory = DelayedOperationPurgatory[MockOperation]("mock", self.timer, **options)
        self.watch = self.purgatory.try_complete_else_watch
        self.check = self.purgatory.check_and_complete

    def let_time_pass(self, until_ms: float) -> None:
        """Do what the reaper does."""
        while (next_ms := self.timer.next_expiration_ms) <= until_ms:
            self.clock.now_ms = max(self.clock.now_ms, next_ms)
            self.timer.advance_clock(0)
            self.purgatory.purge_if_due()


@pytest.fixture
def mock() -> Setting:
    return Setting()


def test_lock_in_try_complete_else_watch(mock: Setting) -> None:
    """DelayedOperationTest.testLockInTryCompleteElseWatch: asked under the operation's lock."""
    free: list[bool] = []

    class Looking(MockOperation):
        def try_complete(self) -> bool:
            with ThreadPoolExecutor(1) as elsewhere:
                free.append(elsewhere.submit(self.lock.acquire, blocking=False).result())
            return False

        def safe_try_complete(self) -> bool:
            raise AssertionError("not on this path")

    mock.watch(Looking(), ["key"])
    assert free == [False, False]


def test_request_satisfaction(mock: Setting) -> None:
    """DelayedOperationTest.testRequestSatisfaction: 0 before, 1 once completable, 0 after."""
    first, second = MockOperation(), MockOperation()
    assert mock.check("test1") == 0
    assert not mock.watch(first, ["test1"])
    assert mock.check("test1") == 0
    assert not mock.watch(second, ["test2"])
    assert mock.check("test2") == 0
    first.completable = True
    assert mock.check("test1") == 1
    assert mock.check("test1") == 0
    second.completable = True
    assert mock.check("test2") == 1
    assert mock.check("test2") == 0


def test_request_expiry(mock: Setting) -> None:
    """DelayedOperationTest.testRequestExpiry: one of 20 ms expires, one of 200 s does not."""
    short, long = MockOperation(20), MockOperation(200_000)
    assert not mock.watch(short, ["test1"])
    assert not mock.watch(long, ["test2"])
    mock.let_time_pass(19.9)
    assert not short.is_completed
    mock.let_time_pass(100)
    assert (short.completions, short.expiries) == (1, 1)
    assert not long.is_completed


def test_request_purge(mock: Setting) -> None:
    """DelayedOperationTest.testRequestPurge: numDelayed falls at once, watched key by key."""
    operations = [MockOperation(100_000) for _ in range(3)]
    for number, operation in enumerate(operations, 1):
        mock.watch(operation, [f"key{n}" for n in range(1, number + 1)])
    assert mock.purgatory.num_delayed() == 3
    assert mock.purgatory.watched() == 6
    operations[1].completable = True
    operations[1].safe_try_complete()
    assert mock.purgatory.num_delayed() == 2
    operations[2].completable = True
    operations[2].safe_try_complete()
    assert mock.purgatory.num_delayed() == 1
    assert mock.purgatory.watched() == 6
    for key, left in (("key1", 4), ("key2", 2), ("key3", 1)):
        mock.check(key)
        assert mock.purgatory.watched() == left


def test_should_cancel_for_key_returning_cancelled_operations(mock: Setting) -> None:
    """DelayedOperationTest.shouldCancelForKeyReturningCancelledOperations: uncompleted, untimed."""
    operations = [MockOperation() for _ in range(3)]
    for operation, key in zip(operations, ("key", "key", "other"), strict=True):
        mock.watch(operation, [key])
    assert mock.purgatory.cancel_for_key("key") == operations[:2]
    assert mock.purgatory.num_delayed() == 1
    assert mock.purgatory.watched() == 1
    assert not any(operation.is_completed for operation in operations)


def test_should_return_nil_operations_on_cancel_for_key_when_key_doesnt_exist(
    mock: Setting,
) -> None:
    """DelayedOperationTest.shouldReturnNilOperationsOnCancelForKeyWhenKeyDoesntExist."""
    assert mock.purgatory.cancel_for_key("key") == []


def test_try_complete_with_multiple_threads(mock: Setting) -> None:
    """DelayedOperationTest.testTryCompleteWithMultipleThreads: no wake-up is lost.

    Each operation becomes completable only at its last attempt, wherever that runs.
    """
    attempts = 20

    class Counting(MockOperation):
        def __init__(self) -> None:
            super().__init__(10**6)
            self.attempts_left = attempts
            self.guard = Lock()

        def attempt(self, key: int) -> None:
            with self.guard:
                self.attempts_left -= 1
                if self.attempts_left == 0:
                    self.completable = True
            mock.check(key)

    operations = [Counting() for _ in range(100)]
    for key, operation in enumerate(operations):
        mock.watch(operation, [key])
    order = [*range(100)] * attempts
    Random(7).shuffle(order)
    with ThreadPoolExecutor(20) as pool:
        for future in [pool.submit(operations[key].attempt, key) for key in order]:
            future.result()
    assert all(operation.completions == 1 for operation in operations)
    assert mock.purgatory.num_delayed() == 0


def test_completed_at_the_first_look_is_never_watched(mock: Setting) -> None:
    """True, no key, no timer."""
    assert mock.watch(MockOperation(completable=True), ["a", "b"])
    assert mock.purgatory.watched() == 0
    assert mock.purgatory.num_delayed() == 0


def test_completed_at_the_second_look_stays_on_its_lists(mock: Setting) -> None:
    """True, and somebody sweeps it up later."""

    class Second(MockOperation):
        def try_complete(self) -> bool:
            return self.checks == 2 and self.force_complete()

    assert mock.watch(Second(), ["a", "b"])
    assert mock.purgatory.watched() == 2
    assert mock.purgatory.num_delayed() == 0


def test_expiry_leaves_the_lists_to_the_purge(mock: Setting) -> None:
    """watched stays, num_delayed falls."""
    mock.watch(MockOperation(20), ["a", "b"])
    mock.let_time_pass(100)
    assert mock.purgatory.watched() == 2
    assert mock.purgatory.num_delayed() == 0


def test_check_counts_only_what_it_completes(mock: Setting) -> None:
    """An operation that somebody else completed is dropped from the list uncounted."""
    operation = MockOperation()
    mock.watch(operation, ["a"])
    operation.force_complete()
    assert mock.check("a") == 0
    assert mock.purgatory.watched() == 0


def test_key_that_is_empty_is_forgotten(mock: Setting) -> None:
    """Nothing is kept for a key on which nobody waits."""
    operation = MockOperation()
    mock.watch(operation, ["a"])
    operation.completable = True
    mock.check("a")
    assert mock.purgatory.statistics()["watched_keys"] == 0


# ------------------------------------------------------------------------------------- purging


def test_purge_waits_for_its_interval() -> None:
    """More than the interval must seem completed and still listed."""
    mock = Setting(purge_interval=3)
    operations = [MockOperation() for _ in range(4)]
    for number, operation in enumerate(operations):
        mock.watch(operation, [number])
    for operation in operations[:3]:
        operation.force_complete()
    mock.purgatory.purge_if_due()
    assert mock.purgatory.watched() == 4
    operations[3].force_complete()
    mock.purgatory.purge_if_due()
    assert mock.purgatory.watched() == 0
    assert mock.purgatory.statistics()["watched_keys"] == 0


def test_purge_leaves_who_waits() -> None:
    """Only completed operations go, and the estimate starts again from who is left."""
    mock = Setting(purge_interval=0)
    waiting, done = MockOperation(), MockOperation()
    mock.watch(waiting, ["a", "b"])
    mock.watch(done, ["b", "c"])
    done.force_complete()
    mock.purgatory.purge_if_due()
    assert mock.purgatory.watched() == 2
    waiting.completable = True
    assert mock.check("b") == 1


def test_estimate_over_counts_and_starts_anew_at_a_purge() -> None:
    """Everything that entered counts, also what has left its lists long since."""
    mock = Setting(purge_interval=2)
    for number in range(4):
        operation = MockOperation()
        mock.watch(operation, [number])
        operation.completable = True
        mock.check(number)
    assert mock.purgatory.statistics()["estimated_total_operations"] == 4
    mock.purgatory.purge_if_due()
    statistics = mock.purgatory.statistics()
    assert statistics["estimated_total_operations"] == mock.purgatory.num_delayed()
    assert statistics["purges"] == 1


def test_reaper_that_sleeps_is_woken_to_purge() -> None:
    """Enough completed operations bring a step of the reaper near, long before any expires."""
    mock = Setting(purge_interval=10)
    for number in range(30):
        operation = MockOperation(10**6)
        mock.watch(operation, [number])
        operation.force_complete()
    mock.let_time_pass(PURGE_DELAY_MS)
    assert mock.purgatory.watched() <= 10
    assert mock.purgatory.statistics()["purges"] >= 1


def test_few_operations_wake_nobody() -> None:
    """Below the interval the reaper is left alone until an expiration."""
    mock = Setting()
    operation = MockOperation(30_000)
    mock.watch(operation, ["a"])
    assert mock.timer.next_expiration_ms > PURGE_DELAY_MS


# ----------------------------------------------------------------------------------- bad input


def test_no_keys_are_refused(mock: Setting) -> None:
    """An operation without keys could only expire; it is not touched."""
    operation = MockOperation()
    with pytest.raises(ValueError, match="keys"):
        mock.watch(operation, [])
    assert not operation.is_completed
    assert operation.checks == 0


def test_key_that_cannot_be_hashed(mock: Setting) -> None:
    """The creator gets the TypeError, and the operation is abandoned whatever it watched so far."""
    operation = MockOperation()
    with pytest.raises(TypeError):
        mock.watch(operation, ["fine", ["not", "hashable"]])  # type: ignore[list-item] # the point
    assert operation.is_completed
    assert operation.completions == 0
    assert mock.purgatory.num_delayed() == 0
    assert mock.check("fine") == 0
    assert mock.purgatory.watched() == 0


def test_checking_a_key_that_cannot_be_hashed(mock: Setting) -> None:
    """A TypeError, as from any dict."""
    with pytest.raises(TypeError):
        mock.check([])  # type: ignore[arg-type] # the point


def test_operation_added_twice_is_moved_and_gains_keys(mock: Setting) -> None:
    """One place in the timer, one on each key, one completion."""
    operation = MockOperation(100)
    mock.watch(operation, ["a"])
    mock.clock.now_ms = 50
    mock.watch(operation, ["a", "b"])
    assert mock.purgatory.num_delayed() == 1
    assert mock.purgatory.watched() == 2
    mock.let_time_pass(149)
    assert not operation.is_completed
    mock.let_time_pass(150)
    assert operation.completions == 1


def test_completed_operation_added_again_is_left_alone(mock: Setting) -> None:
    """It is neither watched nor timed, and not completed twice."""
    operation = MockOperation(completable=True)
    assert mock.watch(operation, ["a"])
    assert not mock.watch(operation, ["a"])
    assert mock.purgatory.watched() == 0
    assert mock.purgatory.num_delayed() == 0
    assert operation.completions == 1


@pytest.mark.parametrize("failing_look", [1, 2])
def test_try_complete_that_raises_at_first(mock: Setting, failing_look: int) -> None:
    """Its creator gets the exception, and nothing comes after: it will answer by itself."""

    class Failing(MockOperation):
        def try_complete(self) -> bool:
            if self.checks == failing_look:
                raise ZeroDivisionError
            return False

    operation = Failing()
    with pytest.raises(ZeroDivisionError):
        mock.watch(operation, ["a"])
    assert operation.is_completed
    assert mock.purgatory.num_delayed() == 0
    assert mock.check("a") == 0
    assert operation.completions == 0


def test_on_complete_that_raises_at_first(mock: Setting) -> None:
    """Completed, once, and the creator is told."""

    class Failing(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            raise ZeroDivisionError

    operation = Failing(completable=True)
    with pytest.raises(ZeroDivisionError):
        mock.watch(operation, ["a"])
    assert operation.completions == 1
    assert mock.purgatory.watched() == 0


def test_on_complete_that_raises_in_a_check(
    mock: Setting, caplog: pytest.LogCaptureFixture
) -> None:
    """It leaves the list like any completed operation, and the next one is asked."""

    class Failing(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            raise ZeroDivisionError

    failing, other = Failing(), MockOperation()
    for operation in (failing, other):
        mock.watch(operation, ["a"])
        operation.completable = True
    with caplog.at_level(logging.ERROR):
        assert mock.check("a") == 1
    assert (failing.completions, other.completions) == (1, 1)
    assert mock.purgatory.watched() == 0
    assert "ZeroDivisionError" in caplog.text


def test_on_complete_that_raises_at_expiry(mock: Setting, caplog: pytest.LogCaptureFixture) -> None:
    """The operations that expire with it expire all the same."""

    class Failing(MockOperation):
        def on_complete(self) -> None:
            raise ZeroDivisionError

    failing, other = Failing(20), MockOperation(20)
    mock.watch(failing, ["a"])
    mock.watch(other, ["a"])
    with caplog.at_level(logging.ERROR):
        mock.let_time_pass(20)
    assert other.expiries == 1
    assert failing.is_completed


@pytest.mark.parametrize("delay_ms", [-(2**63), -1, 0])
def test_timeout_that_is_over_completes_at_the_next_step(mock: Setting, delay_ms: int) -> None:
    """Not inside try_complete_else_watch, which still says False."""
    operation = MockOperation(delay_ms)
    assert not mock.watch(operation, ["a"])
    assert not operation.is_completed
    mock.timer.advance_clock(0)
    assert operation.expiries == 1


@pytest.mark.parametrize("delay_ms", [2**63, inf])
def test_enormous_timeout_waits(mock: Setting, delay_ms: float) -> None:
    """And can be completed by an event like any other."""
    operation = MockOperation(delay_ms)
    mock.watch(operation, ["a"])
    mock.let_time_pass(10**15)
    assert not operation.is_completed
    operation.completable = True
    assert mock.check("a") == 1


# ------------------------------------------------------------------------------------- numbers


def test_statistics_are_one_json_record(mock: Setting) -> None:
    """Gauges and meters of a purgatory."""
    mock.watch(MockOperation(20), ["a", ("topic", 1)])
    mock.watch(MockOperation(10_000), ["a"])
    mock.let_time_pass(20)
    statistics = mock.purgatory.statistics()
    assert statistics == {
        "name": "mock",
        "watched": 3,
        "num_delayed": 1,
        "watched_keys": 2,
        "estimated_total_operations": 2,
        "purges": 0,
        "expired": 1,
        "expired_by": {"mock": 1},
    }
    assert json.loads(json.dumps(statistics)) == statistics


@pytest.mark.parametrize("shards", [1, 2, 512])
def test_keys_are_found_in_any_number_of_shards(shards: int) -> None:
    """The number is a matter of contention only; negative hashes are keys too."""
    mock = Setting(shards=shards)
    for key in range(-50, 50):
        mock.watch(MockOperation(), [key])
    assert mock.purgatory.watched() == 100
    assert sum(len(mock.purgatory.cancel_for_key(key)) for key in range(-50, 50)) == 100


def test_shutdown_answers_nobody(mock: Setting) -> None:
    """Who waits is neither completed nor expired, then or later."""
    operation = MockOperation(20)
    mock.watch(operation, ["a"])
    mock.purgatory.shutdown()
    mock.clock.now_ms = 100
    mock.timer.advance_clock(0)
    assert not operation.is_completed
