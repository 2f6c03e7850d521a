"""A task that waits for an event or for the node's timer, whichever comes first."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import trio

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class _Call(TimerTask):
    __slots__ = ("_action",)

    def __init__(self, delay_ms: float, action: Callable[[], object]) -> None:
        super().__init__(delay_ms)
        self._action = action

    def run(self) -> None:
        """Time is up."""
        self._action()


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
        call = _Call(at_most_ms, self.ring)
        if at_most_ms != inf:
            self._timer.add(call)
        try:
            await self._rung.wait()
        finally:
            call.cancel()
            self._rung = trio.Event()
