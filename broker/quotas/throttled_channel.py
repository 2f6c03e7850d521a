"""A connection that is muted for its throttle time (Kafka's ``ThrottledChannel``, KIP-219)."""

from __future__ import annotations

from collections.abc import Callable

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class ThrottledChannel(TimerTask):
    """Calls *unmute* after ``throttle_ms``."""

    __slots__ = ("_unmute",)

    def __init__(self, timer: SystemTimer, throttle_ms: int, unmute: Callable[[], object]) -> None:
        super().__init__(throttle_ms)
        self._unmute = unmute
        timer.add(self)

    def run(self) -> None:
        """Unmute the connection."""
        self._unmute()
