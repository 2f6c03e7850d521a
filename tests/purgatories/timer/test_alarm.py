"""Alarms: when they ring, that they can be moved, and that they release their descriptor."""

from __future__ import annotations

import os
import sys
from math import inf

import pytest
import trio
from trio.testing import MockClock

from purgatories.timer.alarm import SleepAlarm, system_alarm

pytestmark = pytest.mark.anyio

if sys.platform == "linux":
    from purgatories.timer.timerfd_alarm import TimerfdAlarm


async def test_virtual_time_has_the_alarm_of_trio() -> None:
    """A descriptor would ring in real time."""
    assert isinstance(system_alarm(), SleepAlarm)


async def test_an_alarm_that_is_moved_rings_at_the_last_time() -> None:
    """An earlier time, a later one, and never."""
    alarm, rung = SleepAlarm(), list[float]()

    async def wait() -> None:
        alarm.set(10)
        await alarm.wait()
        rung.append(trio.current_time())

    async with trio.open_nursery() as nursery:
        began = trio.current_time()
        nursery.start_soon(wait)
        await trio.sleep(1)
        for left_s in (1, 5, inf, 2):
            alarm.set(left_s)
            await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(3)
        assert rung == pytest.approx([began + 3], abs=1e-4)


@pytest.mark.skipif(sys.platform != "linux", reason="timerfd is of Linux")
@pytest.mark.parametrize("left_s", [-inf, 0.0, -1.0, 1e-9, 0.0123456])
def test_a_timerfd_never_rings_early(left_s: float) -> None:
    """Not by a fraction of the time; a time that is over rings at once."""

    async def late_s() -> float:
        alarm = TimerfdAlarm()
        rings_at = trio.current_time() + left_s
        alarm.set(left_s)
        await alarm.wait()
        alarm.close()
        return trio.current_time() - rings_at

    assert trio.run(late_s) > 0


@pytest.mark.skipif(sys.platform != "linux", reason="timerfd is of Linux")
def test_a_timerfd_that_is_set_to_infinity_does_not_ring() -> None:
    """The ring of an earlier time is forgotten as well."""

    async def has_rung() -> bool:
        alarm = TimerfdAlarm()
        alarm.set(0)
        alarm.set(inf)
        with trio.move_on_after(0.005):
            await alarm.wait()
            return True
        alarm.close()
        return False

    assert not trio.run(has_rung)


@pytest.mark.skipif(sys.platform != "linux", reason="timerfd is of Linux")
def test_a_closed_timerfd_has_no_descriptor_and_can_be_set() -> None:
    """A task of another thread may set it late."""
    before = set(os.listdir("/proc/self/fd"))
    alarm = TimerfdAlarm()
    alarm.close()
    alarm.set(1)
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, MockClock]]:
    return "trio", {"clock": MockClock(autojump_threshold=0)}
