"""Kafka's DelayedOperationTest, then purging and numbers."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Lock

import pytest

from purgatories.delayed_operation import TIMEOUT
from purgatories.purgatory import PURGE_PAUSE_MS, PURGE_SLICE
from tests.purgatories.manual_clock import MockOperation, MockPurgatory


@pytest.fixture
def mock() -> MockPurgatory:
    return MockPurgatory()


def test_lock_in_try_complete_else_watch(mock: MockPurgatory) -> None:
    """DelayedOperationTest.testLockInTryCompleteElseWatch: asked under the operation's lock."""
    free: list[bool] = []

    class Looking(MockOperation):
        def try_complete(self) -> bool:
            with ThreadPoolExecutor(1) as elsewhere:
                free.append(elsewhere.submit(self.lock.acquire, blocking=False).result())
            return False

        def safe_try_complete(self, cause: object = None) -> bool:
            raise AssertionError("not on this path")

    mock.watch(Looking(), ["key"])
    assert free == [False, False]


def test_request_satisfaction(mock: MockPurgatory) -> None:
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


def test_request_expiry(mock: MockPurgatory) -> None:
    """DelayedOperationTest.testRequestExpiry: one of 20 ms expires, one of 200 s does not."""
    short, long = MockOperation(20), MockOperation(200_000)
    assert not mock.watch(short, ["test1"])
    assert not mock.watch(long, ["test2"])
    mock.let_time_pass(19.9)
    assert not short.is_completed
    mock.let_time_pass(100)
    assert (short.completions, short.expiries) == (1, 1)
    assert not long.is_completed


def test_request_purge(mock: MockPurgatory) -> None:
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


def test_should_cancel_for_key_returning_cancelled_operations(mock: MockPurgatory) -> None:
    """DelayedOperationTest.shouldCancelForKeyReturningCancelledOperations: uncompleted, untimed."""
    operations = [MockOperation() for _ in range(3)]
    for operation, key in zip(operations, ("key", "key", "other"), strict=True):
        mock.watch(operation, [key])
    assert mock.purgatory.cancel_for_key("key") == operations[:2]
    assert mock.purgatory.num_delayed() == 1
    assert mock.purgatory.watched() == 1
    assert not any(operation.is_completed for operation in operations)


def test_should_return_nil_operations_on_cancel_for_key_when_key_doesnt_exist(
    mock: MockPurgatory,
) -> None:
    """DelayedOperationTest.shouldReturnNilOperationsOnCancelForKeyWhenKeyDoesntExist."""
    assert mock.purgatory.cancel_for_key("key") == []


def test_try_complete_with_multiple_threads(mock: MockPurgatory) -> None:
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


def test_completed_at_the_first_look_is_never_watched(mock: MockPurgatory) -> None:
    """True, no key, no timer."""
    assert mock.watch(MockOperation(completable=True), ["a", "b"])
    assert mock.purgatory.watched() == 0
    assert mock.purgatory.num_delayed() == 0


def test_completed_at_the_second_look_stays_on_its_lists(mock: MockPurgatory) -> None:
    """True, and somebody sweeps it up later."""

    class Second(MockOperation):
        def try_complete(self) -> bool:
            return self.checks == 2 and self.force_complete()

    assert mock.watch(Second(), ["a", "b"])
    assert mock.purgatory.watched() == 2
    assert mock.purgatory.num_delayed() == 0


def test_expiry_leaves_the_lists_to_the_purge(mock: MockPurgatory) -> None:
    """watched stays, num_delayed falls."""
    mock.watch(MockOperation(20), ["a", "b"])
    mock.let_time_pass(100)
    assert mock.purgatory.watched() == 2
    assert mock.purgatory.num_delayed() == 0


def test_check_counts_only_what_it_completes(mock: MockPurgatory) -> None:
    """An operation that somebody else completed is dropped from the list uncounted."""
    operation = MockOperation()
    mock.watch(operation, ["a"])
    operation.force_complete()
    assert mock.check("a") == 0
    assert mock.purgatory.watched() == 0


def test_key_that_is_empty_is_forgotten(mock: MockPurgatory) -> None:
    """Nothing is kept for a key on which nobody waits."""
    operation = MockOperation()
    mock.watch(operation, ["a"])
    operation.completable = True
    mock.check("a")
    assert mock.purgatory.statistics()["watched_keys"] == 0


def test_check_tells_why_it_was_made(mock: MockPurgatory) -> None:
    """Those it completes have its cause; who completed at once, or in time, has not."""
    at_once, waiting, timed_out = MockOperation(completable=True), MockOperation(), MockOperation(5)
    for operation in (at_once, waiting, timed_out):
        mock.watch(operation, ["a"])
    mock.check("a", cause=("append", 41))
    waiting.completable = True
    mock.check("a", cause=("append", 42))
    mock.let_time_pass(5)
    causes = [operation.completed_by for operation in (at_once, waiting, timed_out)]
    assert causes == [None, ("append", 42), TIMEOUT]


# ------------------------------------------------------------------------------------- purging


def test_purge_waits_for_its_interval() -> None:
    """More than the interval must seem completed and still listed."""
    mock = MockPurgatory(purge_interval=3)
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
    mock = MockPurgatory(purge_interval=0)
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
    mock = MockPurgatory(purge_interval=2)
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
    mock = MockPurgatory(purge_interval=10)
    for number in range(30):
        operation = MockOperation(10**6)
        mock.watch(operation, [number])
        operation.force_complete()
    mock.let_time_pass(PURGE_PAUSE_MS)
    assert mock.purgatory.watched() <= 10
    assert mock.purgatory.statistics()["purges"] >= 1


def test_sweeps_keep_a_distance() -> None:
    """However many steps the reaper makes; what one leaves is swept by the next, in 200 ms."""
    mock = MockPurgatory(purge_interval=0)
    for number in range(3):
        operation = MockOperation(10**6)
        mock.watch(operation, [number])
        operation.force_complete()
        mock.purgatory.purge_if_due()
    assert mock.purgatory.statistics()["purges"] == 1
    assert mock.purgatory.watched() == 2
    mock.let_time_pass(PURGE_PAUSE_MS)
    assert mock.purgatory.statistics()["purges"] == 2
    assert mock.purgatory.watched() == 0


def test_long_sweep_takes_several_steps() -> None:
    """Each looks at some thousand operations; the reaper is called again until it is done."""
    mock = MockPurgatory()
    for number in range(3 * PURGE_SLICE):
        operation = MockOperation(10**6)
        mock.watch(operation, [number % 100])
        operation.force_complete()
    mock.purgatory.purge_if_due()
    assert PURGE_SLICE <= mock.purgatory.watched() < 2 * PURGE_SLICE
    mock.let_time_pass(0)
    assert mock.purgatory.watched() == 0
    assert mock.purgatory.statistics()["purges"] == 1


def test_few_operations_wake_nobody() -> None:
    """Below the interval the reaper is left alone until an expiration."""
    mock = MockPurgatory()
    operation = MockOperation(30_000)
    mock.watch(operation, ["a"])
    assert mock.timer.next_expiration_ms > PURGE_PAUSE_MS


# ------------------------------------------------------------------------------------- numbers


def test_statistics_are_one_json_record(mock: MockPurgatory) -> None:
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
    mock = MockPurgatory(shards=shards)
    for key in range(-50, 50):
        mock.watch(MockOperation(), [key])
    assert mock.purgatory.watched() == 100
    assert sum(len(mock.purgatory.cancel_for_key(key)) for key in range(-50, 50)) == 100


def test_shutdown_answers_nobody(mock: MockPurgatory) -> None:
    """Who waits is neither completed nor expired, then or later."""
    operation = MockOperation(20)
    mock.watch(operation, ["a"])
    mock.purgatory.shutdown()
    mock.clock.now_ms = 100
    mock.timer.advance_clock(0)
    assert not operation.is_completed
