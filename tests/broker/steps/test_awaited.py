"""Tests of long work whose result a task waits for: `broker.steps.awaited`."""

from __future__ import annotations

from itertools import count

import pytest
import trio
import trio.testing

from broker.steps.awaited import result_of
from broker.steps.queue import Signal, Slices, StepQueue

pytestmark = pytest.mark.anyio

PIECES = 10


def work() -> Slices[str]:
    """Ten pieces."""
    for _ in range(PIECES):
        yield None
    return "done"


async def test_the_result_is_returned_after_several_slices() -> None:
    """Other tasks run between two slices."""
    steps = StepQueue(count().__next__)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(steps.run)
        assert await result_of(work(), steps) == "done"
        nursery.cancel_scope.cancel()
    assert steps.slices_run > 1


async def test_an_exception_is_raised_in_the_waiting_task() -> None:
    """Not reported by the queue."""

    def fail() -> Slices[None]:
        yield None
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await result_of(fail(), StepQueue(lambda: 0.0))


async def test_work_is_closed_if_the_task_is_cancelled() -> None:
    """Nothing reads its result."""
    closed: list[bool] = []

    def wait() -> Slices[None]:
        try:
            yield Signal()
        finally:
            closed.append(True)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(result_of, wait(), StepQueue(lambda: 0.0))
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert closed == [True]
