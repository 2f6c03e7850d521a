"""A clock for logs that are used without a broker and without trio."""

from __future__ import annotations

import time


class MachineClock:
    """The machine's time."""

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        return time.monotonic() * 1000

    def wall_ms(self) -> int:
        """Milliseconds since the Unix epoch."""
        return time.time_ns() // 1_000_000

    def wall_us_at(self, now_ms: float) -> int:
        """Microseconds since the Unix epoch."""
        return self.wall_ms() * 1000 + int((now_ms - self.now_ms()) * 1000)

    def seconds_until(self, time_ms: float) -> float:
        """The time left."""
        return (time_ms - self.now_ms()) / 1000
