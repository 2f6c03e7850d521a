"""An event with a timeout by the node's timer."""

from __future__ import annotations

from math import inf

import trio

from broker.steps.schedule import schedule_once
from purgatories.timer.system_timer import SystemTimer


class TimedEvent:
    """Wakes the one task that waits for it; every wait resets the event."""

    def __init__(self, timer: SystemTimer) -> None:
        self._timer = timer
        self._event = trio.Event()

    def set(self) -> None:
        """End the present wait or, if no task waits, the next one."""
        self._event.set()

    async def wait(self, at_most_ms: float = inf) -> None:
        """Return when `set` is called, or after *at_most_ms* by the node's timer."""
        limit = None
        if at_most_ms != inf:
            limit = schedule_once(self._timer, self.set, delay_ms=at_most_ms)
        try:
            await self._event.wait()
        finally:
            if limit is not None:
                limit.cancel()
            self._event = trio.Event()
