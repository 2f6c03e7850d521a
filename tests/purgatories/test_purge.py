"""Tests of the purge: completed operations leave the lists of their keys."""

from __future__ import annotations

from purgatories.purgatory import PURGE_PAUSE_MS, PURGE_SLICE
from tests.purgatories.manual_clock import MockOperation, MockPurgatory


def test_purge_waits_for_its_interval() -> None:
    """A purge starts when more than purge_interval operations seem completed but listed."""
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


def test_purge_keeps_waiting_operations() -> None:
    """A purge removes only completed operations and resets the estimate."""
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
    """The estimate counts operations that already left their lists, until a purge resets it."""
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


def test_a_purge_counts_the_waiting_operations_as_estimated() -> None:
    """After a purge the estimate is the number of operations in the timer."""
    mock = MockPurgatory(purge_interval=0)
    operations = [MockOperation() for _ in range(3)]
    for operation in operations:
        mock.watch(operation, ["a"])
    operations[0].force_complete()
    mock.purgatory.purge_if_due()
    assert mock.purgatory.statistics()["estimated_total_operations"] == 2


def test_reaper_that_sleeps_is_woken_to_purge() -> None:
    """Enough completed operations wake the reaper before the next expiration."""
    mock = MockPurgatory(purge_interval=10)
    for number in range(30):
        operation = MockOperation(10**6)
        mock.watch(operation, [number])
        operation.force_complete()
    mock.let_time_pass(PURGE_PAUSE_MS)
    assert mock.purgatory.watched() <= 10
    assert mock.purgatory.statistics()["purges"] >= 1


def test_sweeps_keep_a_distance() -> None:
    """Purges are 200 ms apart, however many steps the reaper makes."""
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
    """Each step of a long purge examines some thousand operations, until the purge is done."""
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


def test_completed_operations_are_purged_while_nothing_else_happens() -> None:
    """Operations that are completed later, with no watch and no expiry, leave within 400 ms."""
    mock = MockPurgatory()
    operations = [MockOperation(3_600_000) for _ in range(5000)]
    for number, operation in enumerate(operations):
        mock.watch(operation, [number])
    mock.let_time_pass(1000)
    assert mock.purgatory.watched() == 5000
    for operation in operations:
        operation.force_complete()
    mock.let_time_pass(1400)
    assert mock.purgatory.watched() == 0
    assert mock.timer.size == 0


def test_a_sliced_purge_is_not_a_delayed_operation() -> None:
    """The task that continues a purge does not count."""
    mock = MockPurgatory()
    for number in range(2 * PURGE_SLICE):
        operation = MockOperation(10**6)
        mock.watch(operation, [number % 100])
        operation.force_complete()
    mock.clock.now_ms = 10.5
    mock.purgatory.purge_if_due()
    assert mock.purgatory.watched() > 0
    assert mock.timer.size > 0
    assert mock.purgatory.num_delayed() == 0


def test_few_operations_do_not_wake_the_reaper() -> None:
    """Fewer operations than the interval do not wake the reaper before the next expiration."""
    mock = MockPurgatory()
    operation = MockOperation(30_000)
    mock.watch(operation, ["a"])
    assert mock.timer.next_expiration_ms > PURGE_PAUSE_MS
