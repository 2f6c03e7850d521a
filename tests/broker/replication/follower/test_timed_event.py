"""Waiting for an event or for the node's timer."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.common.clock import TrioClock
from broker.replication.follower.timed_event import TimedEvent
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper

pytestmark = pytest.mark.anyio


async def test_time_ends_the_wait() -> None:
    """By the node's timer, to the millisecond."""
    async with trio.open_nursery() as nursery:
        timer = SystemTimer("node", now_ms=TrioClock().now_ms)
        nursery.start_soon(run_reaper, timer)
        begin_s = trio.current_time()

        await TimedEvent(timer).wait(250)

        assert trio.current_time() - begin_s == pytest.approx(0.25, abs=0.0011)
        nursery.cancel_scope.cancel()


async def test_ringing_ends_the_wait_and_stops_the_timer() -> None:
    """Whoever rings is not told of, and nothing is left in the timer."""
    async with trio.open_nursery() as nursery:
        timer = SystemTimer("node", now_ms=TrioClock().now_ms)
        alarm = TimedEvent(timer)
        nursery.start_soon(alarm.wait, 250)
        await trio.testing.wait_all_tasks_blocked()
        assert timer.size == 1

        alarm.set()

    assert timer.size == 0


async def test_without_a_limit_only_ringing_helps() -> None:
    """No timer is started for that."""
    async with trio.open_nursery() as nursery:
        timer = SystemTimer("node", now_ms=TrioClock().now_ms)
        alarm = TimedEvent(timer)
        nursery.start_soon(alarm.wait)
        await trio.testing.wait_all_tasks_blocked()
        assert timer.size == 0

        alarm.set()


async def test_what_rings_early_ends_the_next_wait() -> None:
    """And only that one."""
    timer = SystemTimer("node", now_ms=TrioClock().now_ms)
    alarm = TimedEvent(timer)
    alarm.set()

    await alarm.wait()

    with trio.move_on_after(10) as patience:
        await alarm.wait()
    assert patience.cancelled_caught
