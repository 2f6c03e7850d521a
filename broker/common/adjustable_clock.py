"""A clock that can be frozen, moved forwards, and run at another speed.

It is a `TrioClock` until it is adjusted, and costs the same. Both of its times move together, so
that record timestamps follow. It never moves backwards.
"""

from __future__ import annotations

from math import inf
from typing import Final

from broker.common.clock import TrioClock

# A time that is computed from a timer's milliseconds must not be less than these.
_ROUNDING_MS: Final = 1e-5


class AdjustableClock(TrioClock):
    """The clock of a broker that serves clients; ``epoch_ms`` is that of `TrioClock`.

    ``speed``: how many of its seconds pass in a second; 0 while it is frozen.
    """

    def __init__(self, epoch_ms: float | None = None) -> None:
        super().__init__(epoch_ms)
        self.speed = 1.0
        self._machine_seconds = self._seconds

    def freeze(self) -> None:
        """Stop at the present time until the clock is adjusted again."""
        self._adjust(self._seconds(), 0)

    def run(self, speed: float = 1.0) -> None:
        """Continue from the present time at *speed*, a positive number."""
        assert speed > 0
        self._adjust(self._seconds(), speed)

    def move_to(self, time_ms: float) -> None:
        """Continue at *time_ms* of `now_ms`, which is not before the present time."""
        self._adjust(max(self._seconds(), (time_ms + _ROUNDING_MS) / 1000), self.speed)

    def seconds_until(self, time_ms: float) -> float:
        """The time left by trio's clock, at the present speed."""
        left_s = time_ms / 1000 - self._seconds()
        if left_s <= 0:
            return left_s
        return left_s / self.speed if self.speed else inf

    def _adjust(self, now_s: float, speed: float) -> None:
        machine_seconds = self._machine_seconds
        adjusted_s = machine_seconds()

        def seconds() -> float:
            return now_s + (machine_seconds() - adjusted_s) * speed

        self._seconds = seconds if speed else lambda: now_s
        self.speed = speed
