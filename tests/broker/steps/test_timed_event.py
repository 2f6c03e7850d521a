"""An event with a timeout by the node's timer."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.common.clock import TrioClock
from broker.steps.timed_event import TimedEvent
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper

pytestmark = pytest.mark.anyio


async def test_the_timeout_ends_the_wait() -> None:
    """To the millisecond."""
    async with trio.open_nursery() as nursery:
        timer = SystemTimer("node", now_ms=TrioClock().now_ms)
        nursery.start_soon(run_reaper, timer)
        begin_s = trio.current_time()

        await TimedEvent(timer).wait(250)

        assert trio.current_time() - begin_s == pytest.approx(0.25, abs=0.0011)
        nursery.cancel_scope.cancel()


async def test_setting_the_event_ends_the_wait_and_cancels_the_timer() -> None:
    """No task is left in the timer."""
    async with trio.open_nursery() as nursery:
        timer = SystemTimer("node", now_ms=TrioClock().now_ms)
        alarm = TimedEvent(timer)
        nursery.start_soon(alarm.wait, 250)
        await trio.testing.wait_all_tasks_blocked()
        assert timer.size == 1

        alarm.set()

    assert timer.size == 0


async def test_without_a_timeout_only_the_event_ends_the_wait() -> None:
    """No timer task is started."""
    async with trio.open_nursery() as nursery:
        timer = SystemTimer("node", now_ms=TrioClock().now_ms)
        alarm = TimedEvent(timer)
        nursery.start_soon(alarm.wait)
        await trio.testing.wait_all_tasks_blocked()
        assert timer.size == 0

        alarm.set()


async def test_an_event_set_before_the_wait_ends_it() -> None:
    """Only the next wait."""
    timer = SystemTimer("node", now_ms=TrioClock().now_ms)
    alarm = TimedEvent(timer)
    alarm.set()

    await alarm.wait()

    with trio.move_on_after(10) as patience:
        await alarm.wait()
    assert patience.cancelled_caught
