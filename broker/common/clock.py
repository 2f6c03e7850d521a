"""The one clock: nothing else in the broker asks what time it is.

Under trio's ``MockClock`` both times are virtual, so a test that jumps thirty seconds ahead moves
long polls, sessions and record timestamps together.
"""

from __future__ import annotations

import time
from typing import Protocol

import trio


class Clock(Protocol):
    """What the rooms below ask of a clock."""

    def now_ms(self) -> float:
        """Monotonic milliseconds, for everything that waits."""
        ...

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch, for record timestamps."""
        ...

    def wall_us_at(self, now_ms: float) -> int:
        """The Unix time, in microseconds, of a moment that `now_ms` has told."""
        ...


class TrioClock:
    """Trio's clock, anchored once to the wall clock so that the two never drift apart.

    ``epoch_ms`` is the wall time of the moment of creation; tests give a fixed one.
    """

    def __init__(self, epoch_ms: float | None = None) -> None:
        # What `trio.current_time` asks, at half its cost: it is asked several times a request.
        self._seconds = trio.lowlevel.current_clock().current_time
        self._offset_ms = (time.time() * 1000 if epoch_ms is None else epoch_ms) - self.now_ms()

    def now_ms(self) -> float:
        """Monotonic milliseconds, for everything that waits."""
        return self._seconds() * 1000

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch, for record timestamps."""
        return int(self._seconds() * 1000 + self._offset_ms)

    def wall_us_at(self, now_ms: float) -> int:
        """The Unix time, in microseconds, of a moment that `now_ms` has told."""
        return int((now_ms + self._offset_ms) * 1000)
