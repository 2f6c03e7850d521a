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
def test_many_timerfd_alarms_share_a_descriptor() -> None:
    """None rings early; a closed one, which another task may set late, has none."""

    async def rung() -> tuple[float, int, int]:
        before, late_s = descriptors(), list[float]()
        alarms = [TimerfdAlarm() for _ in range(20)]
        opened = descriptors() - before

        async def wait(alarm: TimerfdAlarm, left_s: float) -> None:
            rings_at = trio.current_time() + left_s
            alarm.set(left_s)
            await alarm.wait()
            late_s.append(trio.current_time() - rings_at)

        async with trio.open_nursery() as nursery:
            for number, alarm in enumerate(alarms):
                nursery.start_soon(wait, alarm, (20 - number) / 1000)
        for alarm in alarms:
            alarm.close()
            alarm.set(1)
        return min(late_s), opened, descriptors() - before

    earliest_s, opened, left = trio.run(rung)
    assert earliest_s > 0
    assert (opened, left) == (1, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="timerfd is of Linux")
def test_a_timerfd_is_opened_again_after_the_last_alarm_was_closed() -> None:
    """A node may stop and start in one event loop."""

    async def ring_twice() -> int:
        before = descriptors()
        for _ in range(2):
            alarm = TimerfdAlarm()
            alarm.set(0.001)
            await alarm.wait()
            alarm.close()
        return descriptors() - before

    assert trio.run(ring_twice) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="timerfd is of Linux")
def test_a_timerfd_that_is_closed_while_it_rings_is_not_read() -> None:
    """Its descriptor may be that of another file by then."""

    async def closed_before_the_task_of_the_source_runs() -> bool:
        alarm, closed = TimerfdAlarm(), trio.Event()

        class CloseBeforeNextStep(trio.abc.Instrument):
            def before_task_step(self, task: trio.lowlevel.Task) -> None:
                if "_Source" in task.name and not closed.is_set():
                    alarm.close()
                    closed.set()

        await trio.testing.wait_all_tasks_blocked()
        trio.lowlevel.add_instrument(CloseBeforeNextStep())
        alarm.set(0)
        await closed.wait()
        await trio.testing.wait_all_tasks_blocked()
        return alarm.rung.is_set()

    assert not trio.run(closed_before_the_task_of_the_source_runs)


def descriptors() -> int:
    """The number of open descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, MockClock]]:
    return "trio", {"clock": MockClock(autojump_threshold=0)}
