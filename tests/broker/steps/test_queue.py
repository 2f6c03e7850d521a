"""Slices of long work, and the tasks that run between them."""

from __future__ import annotations

from itertools import count

import pytest
import trio
import trio.testing

from broker.steps.limits import SLICE_MS
from broker.steps.queue import DONE, Job, Signal, Slices, StepQueue, all_set, map_in_slices
from purgatories.on_error import OnError, log_error

pytestmark = pytest.mark.anyio


def ticking(on_error: OnError = log_error) -> StepQueue:
    """A queue whose clock advances by 1 ms at each reading: a slice has `SLICE_MS` pieces."""
    return StepQueue(count().__next__, on_error)


def pieces(number: int, log: list[str], name: str = "piece") -> Slices[str]:
    """Work of *count* pieces, each recorded in *log*."""
    for index in range(number):
        log.append(f"{name} {index}")
        yield None
    return f"{name}s done"


def test_all_signals_set_one() -> None:
    """The last of them, whichever it is; those that are set already do not count."""
    signals = [Signal(), Signal(), DONE]
    both = all_set(signals)

    signals[1].set()
    assert not both.is_set

    signals[0].set()
    assert both.is_set
    assert all_set(signals).is_set


def test_short_work_runs_immediately() -> None:
    """It ends within its first slice, and is not queued."""
    queue, log = ticking(), list[str]()

    assert queue.start(pieces(1, log), log.append) is None
    assert log == ["piece 0", "pieces done"]
    assert len(queue) == 0


async def test_long_work_runs_round_robin() -> None:
    """One slice of each work after the other, and other tasks between two slices."""
    queue, log = ticking(), list[str]()
    queue.start(pieces(2 * SLICE_MS, log, "a"), log.append)
    queue.start(pieces(2 * SLICE_MS, log, "b"), log.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(queue.run)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert log == ["a 0", "a 1", "b 0", "b 1", "a 2", "a 3", "b 2", "b 3", "as done", "bs done"]
    assert queue.slices_run == 6


async def test_work_waits_for_a_signal() -> None:
    """It runs again when the signal is set, and not before."""
    queue, log, signal = ticking(), list[str](), Signal()

    def work() -> Slices[str]:
        log.append("before")
        yield signal
        return "after"

    queue.start(work(), log.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(queue.run)
        await trio.testing.wait_all_tasks_blocked()
        assert log == ["before"]
        signal.set()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert log == ["before", "after"]


def test_a_set_signal_does_not_delay_work() -> None:
    """Work continues in the same slice, and an action is called immediately."""
    queue, log, signal = ticking(), list[str](), Signal()
    signal.set()

    def work() -> Slices[str]:
        yield signal
        return "done"

    assert queue.start(work(), log.append) is None
    signal.when_set(lambda: log.append("called"))
    assert log == ["done", "called"]


def test_an_action_of_a_signal_that_raises_does_not_stop_the_others() -> None:
    """Its exception is reported to its `on_error`, not raised from `set`."""
    log, reported, signal = list[str](), list[str](), Signal()

    def fails() -> None:
        raise ZeroDivisionError

    signal.when_set(fails, lambda _what, error: reported.append(repr(error)))
    signal.when_set(lambda: log.append("called"))
    signal.set()

    assert (log, reported) == (["called"], ["ZeroDivisionError()"])


async def test_cancelled_work_stops() -> None:
    """Its ``finally`` blocks run; its result is dropped."""
    queue, log = ticking(), list[str]()

    def work() -> Slices[str]:
        try:
            yield from pieces(10, log)
        finally:
            log.append("closed")
        return "done"

    job = queue.start(work(), log.append)
    assert job is not None
    job.cancel()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(queue.run)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert log == ["piece 0", "piece 1", "closed"]


async def test_work_may_cancel_itself() -> None:
    """The slice that cancels it is the last, and there is no result."""
    queue, log = ticking(), list[str]()
    jobs = list[Job]()

    def work() -> Slices[str]:
        yield from pieces(SLICE_MS, log)
        jobs[0].cancel()
        yield from pieces(2 * SLICE_MS, log, "more")
        return "done"

    job = queue.start(work(), log.append)
    assert job is not None
    jobs.append(job)
    job.advance()
    job.advance()

    assert log == ["piece 0", "piece 1", "more 0", "more 1"]


def test_each_is_a_piece_per_item() -> None:
    """The results are in the order of the items."""
    log: list[list[int]] = []
    ticking().start(map_in_slices(lambda item: item * 2, [3]), log.append)

    assert log == [[6]]
    assert sum(1 for _ in map_in_slices(str, range(5))) == 5


async def test_a_slice_that_raises_ends_its_own_work_only() -> None:
    """The exception is reported, and the queue continues."""
    reported: list[str] = []
    queue, log = ticking(lambda what, _error: reported.append(what)), list[str]()

    def fails() -> Slices[str]:
        yield from pieces(SLICE_MS, log, "a")
        raise ZeroDivisionError

    queue.start(fails(), log.append)
    queue.start(pieces(2 * SLICE_MS, log, "b"), log.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(queue.run)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert log == ["a 0", "a 1", "b 0", "b 1", "b 2", "b 3", "bs done"]
    (what,) = reported
    assert what.startswith("a slice of ")
