"""The only clock of the broker.

With trio's ``MockClock`` both times are virtual, so a test that advances the clock by 30 seconds
advances long polls, sessions and record timestamps together.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import trio

from purgatories.timer.alarm import is_time_virtual


class Clock(Protocol):
    """The source of time for all parts of the broker."""

    def now_ms(self) -> float:
        """Monotonic milliseconds, for all waits."""
        ...

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch, for record timestamps."""
        ...

    def wall_us_at(self, now_ms: float) -> int:
        """The Unix time in microseconds at a time of `now_ms`."""
        ...

    def seconds_until(self, time_ms: float) -> float:
        """For how long a task has to sleep until `now_ms` returns *time_ms*; infinity if never."""
        ...


class TrioClock:
    """Trio's clock, from another beginning; the wall time is its time plus a constant offset.

    ``epoch_ms`` is the wall time at creation, by default the system's; tests give a fixed one.
    """

    def __init__(self, epoch_ms: float | None = None) -> None:
        # The function behind `trio.current_time`, or behind its clock: each request calls it often.
        self._seconds: Callable[[], float] = time.perf_counter
        if is_time_virtual():
            self._seconds = trio.lowlevel.current_clock().current_time
        self._offset_ms = (time.time() * 1000 if epoch_ms is None else epoch_ms) - self.now_ms()

    def now_ms(self) -> float:
        """Monotonic milliseconds, for all waits."""
        return self._seconds() * 1000

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch, for record timestamps."""
        return int(self._seconds() * 1000 + self._offset_ms)

    def wall_us_at(self, now_ms: float) -> int:
        """The Unix time in microseconds at a time of `now_ms`."""
        return int((now_ms + self._offset_ms) * 1000)

    def seconds_until(self, time_ms: float) -> float:
        """The time left by trio's clock, which runs at the same speed."""
        return time_ms / 1000 - self._seconds()
