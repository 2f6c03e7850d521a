"""A task that waits for an event or for the node's timer, whichever comes first."""

from __future__ import annotations

from math import inf

import trio

from broker.steps.schedule import schedule_once
from purgatories.timer.system_timer import SystemTimer


class Alarm:
    """Wakes the one task that waits for it."""

    def __init__(self, timer: SystemTimer) -> None:
        self._timer = timer
        self._rung = trio.Event()

    def ring(self) -> None:
        """End the wait that is under way, or else the next one."""
        self._rung.set()

    async def wait(self, at_most_ms: float = inf) -> None:
        """Return when `ring` is called, or after *at_most_ms* by the node's timer."""
        limit = None
        if at_most_ms != inf:
            limit = schedule_once(self._timer, self.ring, delay_ms=at_most_ms)
        try:
            await self._rung.wait()
        finally:
            if limit is not None:
                limit.cancel()
            self._rung = trio.Event()
