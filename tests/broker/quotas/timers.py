"""A timer whose clock tests advance."""

from __future__ import annotations

from purgatories.timer.system_timer import SystemTimer


class ManualTimer:
    """``pass_ms`` advances the clock and runs expired tasks."""

    def __init__(self) -> None:
        self._now_ms = 0.0
        self.timer = SystemTimer("test", now_ms=lambda: self._now_ms)

    def pass_ms(self, duration_ms: float) -> None:
        """Advance the clock."""
        self._now_ms += duration_ms
        while self.timer.advance_clock(0):
            pass
