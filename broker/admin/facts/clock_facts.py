"""What the admin interface uses of the broker's clock.

All values are made of what JSON can hold. docs/reference/admin.md lists their fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from broker.admin.facts.json_object import JsonObject
from broker.clock_control.events import Event
from broker.node import Node

# Finds an event that the nodes wait for; raises `WrongState`.
FindEvent = Callable[[Sequence[Node]], Event]


class ClockFacts(Protocol):
    """The clock and its adjustments; each returns the new state, or what has happened."""

    def state(self) -> JsonObject:
        """``state``, ``speed``, ``now_us`` (Unix time), and ``next``: the timer that acts next."""
        ...

    def freeze(self) -> JsonObject:
        """Stop the clock."""
        ...

    def run(self, speed: float) -> JsonObject:
        """Let the clock run, *speed* times as fast as real time."""
        ...

    async def advance_by(self, duration_ms: int, steps_max: int) -> JsonObject:
        """Move the clock forwards; the result has the last *steps_max* steps."""
        ...

    async def advance_to_task(self, steps_max: int) -> JsonObject:
        """Move the clock to the next task of any timer; raises `WrongState`."""
        ...

    async def advance_to(self, find: FindEvent, steps_max: int) -> JsonObject:
        """Move the clock until an event has happened; raises `WrongState`."""
        ...
