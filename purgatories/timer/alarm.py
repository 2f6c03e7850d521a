"""An alarm wakes the task that drives a timer, at a time that can be moved.

    set(seconds) --> wait returns after them     set(less) --> the running wait returns earlier

trio rounds a sleep up to whole milliseconds on Linux, because epoll does. There the alarm is a
``timerfd``, which the kernel ends within some ten microseconds; elsewhere, and in virtual time, it
is the deadline of a sleep.
"""

from __future__ import annotations

import sys
from math import inf
from typing import Protocol

import trio

# A time in milliseconds may differ from trio's clock by a rounding error. Virtual time does not
# advance while a task runs, so an alarm that is early by it would ring forever.
_ROUNDING_S = 1e-6


class Alarm(Protocol):
    """One alarm, for one waiting task."""

    def set(self, left_s: float) -> None:
        """Ring after *left_s* seconds and no longer at another time; infinity: never.

        It rings at once if *left_s* is not positive, minus infinity included. To be called in
        trio's thread.
        """
        ...

    async def wait(self) -> None:
        """Wait until the alarm rings, which it does once for each `set`."""
        ...

    def close(self) -> None:
        """Release what the system holds for the alarm."""
        ...


class SleepAlarm:
    """The deadline of a sleep."""

    def __init__(self) -> None:
        self._deadline = inf
        self._sleep = trio.CancelScope()

    def set(self, left_s: float) -> None:
        """See `Alarm.set`."""
        now = trio.current_time()
        self._deadline = now + left_s + _ROUNDING_S if left_s > 0 else now
        self._sleep.deadline = self._deadline

    async def wait(self) -> None:
        """See `Alarm.wait`."""
        with trio.CancelScope(deadline=self._deadline) as self._sleep:
            await trio.sleep_forever()
        self._deadline = inf

    def close(self) -> None:
        """See `Alarm.close`."""


def system_alarm() -> Alarm:
    """The alarm for this system and for trio's clock."""
    if sys.platform == "linux" and not is_time_virtual():
        from purgatories.timer.timerfd_alarm import TimerfdAlarm

        return TimerfdAlarm()
    return SleepAlarm()


def is_time_virtual() -> bool:
    """Whether trio's clock advances only while all tasks wait, as its ``MockClock`` does."""
    return trio.current_time() == trio.current_time()
