"""A timer whose clock is set by hand."""

from __future__ import annotations

from purgatories.timer.system_timer import SystemTimer


class HandTimer:
    """``pass_ms`` lets time pass, and runs what is due."""

    def __init__(self) -> None:
        self._now_ms = 0.0
        self.timer = SystemTimer("test", now_ms=lambda: self._now_ms)

    def pass_ms(self, duration_ms: float) -> None:
        """Let time pass."""
        self._now_ms += duration_ms
        while self.timer.advance_clock(0):
            pass
