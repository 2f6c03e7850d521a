"""Kafka's DelayedOperationTest, then tests of purging and statistics."""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Lock

import pytest

from purgatories.delayed_operation import TIMEOUT
from tests.purgatories.manual_clock import MockOperation, MockPurgatory


@pytest.fixture
def mock() -> MockPurgatory:
    return MockPurgatory()


def test_lock_in_try_complete_else_watch(mock: MockPurgatory) -> None:
    """DelayedOperationTest.testLockInTryCompleteElseWatch: the check holds the operation's lock."""
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


def test_an_operation_that_waits_can_wait_on_another_key(mock: MockPurgatory) -> None:
    """An event on that key completes it, before an operation that arrived later."""
    first, second = MockOperation(), MockOperation()
    assert not mock.watch(first, ["a"])
    assert not mock.watch(second, ["b"])

    mock.purgatory.watch_also(first, "b")

    assert mock.purgatory.waiting_on("b") == [first, second]
    first.completable = True
    assert mock.check("b") == 1
    assert mock.check("a") == 0


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
    """DelayedOperationTest.shouldCancelForKeyReturningCancelledOperations: no completion."""
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

    Each operation becomes completable only at its last attempt, in whichever thread that runs.
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


def test_completed_at_the_first_check_is_never_watched(mock: MockPurgatory) -> None:
    """The first check returns True; no key is watched and no timer is started."""
    assert mock.watch(MockOperation(completable=True), ["a", "b"])
    assert mock.purgatory.watched() == 0
    assert mock.purgatory.num_delayed() == 0


def test_completed_at_the_second_check_stays_on_its_lists(mock: MockPurgatory) -> None:
    """The second check returns True; the operation stays in its lists until a purge."""

    class Second(MockOperation):
        def try_complete(self) -> bool:
            return self.checks == 2 and self.force_complete()

    assert mock.watch(Second(), ["a", "b"])
    assert mock.purgatory.watched() == 2
    assert mock.purgatory.num_delayed() == 0


def test_expiry_leaves_the_lists_to_the_purge(mock: MockPurgatory) -> None:
    """An expiry decreases num_delayed; watched stays until a purge."""
    mock.watch(MockOperation(20), ["a", "b"])
    mock.let_time_pass(100)
    assert mock.purgatory.watched() == 2
    assert mock.purgatory.num_delayed() == 0


def test_check_counts_only_what_it_completes(mock: MockPurgatory) -> None:
    """An operation that was completed elsewhere is removed from the list and not counted."""
    operation = MockOperation()
    mock.watch(operation, ["a"])
    operation.force_complete()
    assert mock.check("a") == 0
    assert mock.purgatory.watched() == 0


def test_empty_key_is_removed(mock: MockPurgatory) -> None:
    """A key without operations is removed."""
    operation = MockOperation()
    mock.watch(operation, ["a"])
    operation.completable = True
    mock.check("a")
    assert mock.purgatory.statistics()["watched_keys"] == 0


def test_check_passes_its_cause(mock: MockPurgatory) -> None:
    """Operations completed by a check have its cause; others have none or TIMEOUT."""
    at_once, waiting, timed_out = MockOperation(completable=True), MockOperation(), MockOperation(5)
    for operation in (at_once, waiting, timed_out):
        mock.watch(operation, ["a"])
    mock.check("a", cause=("append", 41))
    waiting.completable = True
    mock.check("a", cause=("append", 42))
    mock.let_time_pass(5)
    causes = [operation.completed_by for operation in (at_once, waiting, timed_out)]
    assert causes == [None, ("append", 42), TIMEOUT]


def test_a_key_whose_last_operation_completes_is_removed(mock: MockPurgatory) -> None:
    """A check that empties the list of a key removes the key."""
    operation = MockOperation()
    mock.watch(operation, ["a"])
    operation.completable = True
    mock.check("a")
    assert mock.purgatory.statistics()["watched_keys"] == 0


def test_cancel_for_key_removes_the_timer_tasks(mock: MockPurgatory) -> None:
    """The operations that wait on the key do not expire."""
    mock.watch(MockOperation(), ["a"])
    assert len(mock.purgatory.cancel_for_key("a")) == 1
    assert mock.purgatory.num_delayed() == 0


def test_a_check_logs_how_many_operations_it_completed(
    mock: MockPurgatory, caplog: pytest.LogCaptureFixture
) -> None:
    """At debug level; a check that completes none logs nothing."""
    caplog.set_level(logging.DEBUG, "purgatories.purgatory")
    operations = [MockOperation() for _ in range(3)]
    for operation in operations:
        mock.watch(operation, ["a"])
    mock.check("a")
    for operation in operations[:2]:
        operation.completable = True
    mock.check("a")
    assert caplog.messages == ["mock: a check of a unblocked 2 operations"]


# ---------------------------------------------------------------------------------- statistics


def test_statistics_are_one_json_record(mock: MockPurgatory) -> None:
    """The statistics can be encoded as JSON."""
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
    """Keys, also with negative hashes, are found with any number of shards."""
    mock = MockPurgatory(shards=shards)
    for key in range(-50, 50):
        mock.watch(MockOperation(), [key])
    assert mock.purgatory.watched() == 100
    assert sum(len(mock.purgatory.cancel_for_key(key)) for key in range(-50, 50)) == 100


def test_shutdown_completes_nothing(mock: MockPurgatory) -> None:
    """A shutdown neither completes nor expires a waiting operation, then or later."""
    operation = MockOperation(20)
    mock.watch(operation, ["a"])
    mock.purgatory.shutdown()
    mock.clock.now_ms = 100
    mock.timer.advance_clock(0)
    assert not operation.is_completed


def test_operations_that_wait_are_listed_by_key(mock: MockPurgatory) -> None:
    """In order of arrival; a completed operation is not listed, though its lists contain it."""
    first, second, completed = MockOperation(), MockOperation(), MockOperation()
    mock.watch(first, ["a"])
    mock.watch(completed, ["a", "b"])
    mock.watch(second, ["a"])
    completed.force_complete()

    assert mock.purgatory.waiting_on("a") == [first, second]
    assert mock.purgatory.waiting_on("b") == mock.purgatory.waiting_on("no such key") == []
    assert list(mock.purgatory.waiting()) == [("a", first), ("a", second)]
