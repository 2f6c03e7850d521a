"""The state that all live pages show, encoded once for each change.

    changes --> newer() --> one page makes the next state in slices; the others wait for it

Without a page nothing is made. Changes that follow quickly are combined: there is at most one state
in INTERVAL_MS. A new state is made after KEEP_ALIVE_MS without a change as well, because times are
a part of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

import trio

from broker.admin.facts.live_part import LivePart
from broker.common.state_changes import StateChanges
from broker.steps.limits import SLICE_MS
from broker.steps.schedule import schedule_once
from broker.steps.timed_event import TimedEvent
from protocol.printable import printable_json
from purgatories.timer.system_timer import SystemTimer

INTERVAL_MS = 200
KEEP_ALIVE_MS = 5_000


class LiveState:
    """The latest state: ``events`` has its parts by name, as server-sent events.

    *timer* runs in real time. A part that has not changed is the same object as before.
    """

    def __init__(
        self,
        parts: Mapping[str, Callable[[], LivePart]],
        changes: StateChanges,
        timer: SystemTimer,
    ) -> None:
        self.number = 0
        self.events: Mapping[str, bytes] = {}
        self._parts = parts
        self._changes = changes
        self._timer = timer
        self._making = trio.Lock()
        # Set when something has changed since the latest state.
        self._changed = trio.Event()
        self._changed.set()
        self._made_ms = -inf

    def request(self) -> int:
        """Request a new state for a page; returns the number of the present state."""
        self._changes.notify()
        return self.number

    async def newer(self, number: int) -> None:
        """Return when the latest state has another number than *number*."""
        if self.number != number:
            return
        async with self._making:
            if self.number == number:
                await self._wait_for_change()
                await self._make()

    async def _wait_for_change(self) -> None:
        keep_alive = schedule_once(self._timer, self._changes.notify, delay_ms=KEEP_ALIVE_MS)
        try:
            await self._changed.wait()
        finally:
            keep_alive.cancel()
        left_ms = self._made_ms + INTERVAL_MS - self._timer.now_ms()
        if left_ms > 0:
            await TimedEvent(self._timer).wait(left_ms)

    async def _make(self) -> None:
        """Make the next state, also if the page is closed meanwhile: others wait for it."""
        self._changed = self._changes.next()
        with trio.CancelScope(shield=True):
            made = {name: await self._event(name, part()) for name, part in self._parts.items()}
        self.events = {
            name: before if (before := self.events.get(name)) == event else event
            for name, event in made.items()
        }
        self.number += 1
        self._made_ms = self._timer.now_ms()

    async def _event(self, name: str, part: LivePart) -> bytes:
        rows: list[str] = []
        end_ms = self._timer.now_ms() + SLICE_MS
        for row in part.rows:
            rows.append(_encoded(row))
            if self._timer.now_ms() >= end_ms:
                await trio.lowlevel.checkpoint()
                end_ms = self._timer.now_ms() + SLICE_MS
        await trio.lowlevel.checkpoint()
        count = json.dumps(part.count)
        return f'event: {name}\ndata: {{"count":{count},"rows":[{",".join(rows)}]}}\n\n'.encode()


def _encoded(row: Mapping[str, Any]) -> str:
    return printable_json(json.dumps(row, separators=(",", ":")))
