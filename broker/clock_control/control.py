"""Freezes the clock of a cluster, runs it at another speed, and moves it forwards step by step.

    advance_by(45 s):   freeze -> move to the next expiration of any timer -> let the event loop
                                  run until it is idle -> ... -> move to the end -> continue

Each expiration is a step of its own, so that timers run their tasks in the order of their times,
and the event loop processes the consequences of each task before the next one runs: followers fetch
between two checks of the in-sync sets, as in real time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import takewhile
from math import inf
from typing import NamedTuple

import trio

# `trio.testing` has it for the public, but imports pytest where it is installed, for each broker.
from trio._core import wait_all_tasks_blocked  # type: ignore[attr-defined]  # not in `__all__`

from broker.clock_control.advance import Advance
from broker.clock_control.events import Event
from broker.common.adjustable_clock import AdjustableClock
from broker.common.errors import WrongState
from broker.common.timer import TICK_MS
from broker.wait_records.record import WaitRecord
from broker.wait_records.recorder import Recorder
from purgatories.timer.system_timer import SystemTimer

# How long a step waits, in real time, for the event loop to become idle: clients may keep it busy.
_SETTLE_S_MAX = 0.05


class NodeTimer(NamedTuple):
    """A timer, and the id of its node; None if it belongs to the cluster."""

    node_id: int | None
    timer: SystemTimer


class ClockControl:
    """Adjusts *clock*, which all *timers* read; *recorder* has the records of requests, if any.

    `freeze` and `run` take effect at the end of an advance that is in progress.
    """

    def __init__(
        self,
        clock: AdjustableClock,
        timers: Callable[[], Sequence[NodeTimer]],
        recorder: Recorder | None,
    ) -> None:
        self.clock = clock
        self._timers = timers
        self._recorder = recorder
        self._advancing = trio.Lock()
        self._speed = clock.speed  # when no advance is in progress

    def freeze(self) -> None:
        """Stop the clock: requests are served, and nothing expires."""
        self._speed = 0
        self._apply_speed()

    def run(self, speed: float = 1.0) -> None:
        """Let the clock run, *speed* times as fast as real time."""
        self._speed = speed
        self._apply_speed()

    def next_timer(self) -> NodeTimer | None:
        """The timer that acts next; None if no timer holds a task."""
        holding = [each for each in self._timers() if each.timer.size]
        return min(holding, key=_next_ms, default=None)

    async def advance_by(self, duration_ms: float, steps_max: int) -> Advance:
        """Move the clock forwards; the result has the last *steps_max* steps."""
        async with self._frozen():
            advance = Advance(self.clock.now_ms(), steps_max)
            end_ms = advance.began_ms + duration_ms
            await self._advance(advance, lambda: end_ms)
            return advance

    async def advance_to(self, event: Event, steps_max: int) -> Advance:
        """Move the clock forwards until *event* has happened.

        Raises `WrongState` if it has not happened at its latest time.
        """
        async with self._frozen():
            advance = Advance(self.clock.now_ms(), steps_max)
            if not await self._advance(advance, event.latest_ms, event.has_happened):
                raise WrongState(f"{event.name} did not happen in {advance.duration_ms:.0f} ms")
            return advance

    async def advance_to_task(self, steps_max: int) -> Advance:
        """Move the clock forwards until a timer has run a task; raises `WrongState`."""
        async with self._frozen():
            advance = Advance(self.clock.now_ms(), steps_max)
            if not await self._advance(advance, lambda: inf, lambda: advance.tasks_run > 0):
                raise WrongState("no timer holds a task")
            return advance

    async def _advance(
        self,
        advance: Advance,
        end_ms: Callable[[], float],
        is_over: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Step until *is_over*, or else until *end_ms*; returns whether it is over."""
        clock = self.clock
        with self._observed(advance):
            while not (ended := is_over()) and (next_ms := self._next_ms()) < inf:
                # Timers round expirations up to a tick: what is due at the end may be in the next.
                if next_ms >= end_ms() + TICK_MS:
                    break
                clock.move_to(next_ms)
                await self._step(advance)
        if not ended and end_ms() < inf:
            clock.move_to(end_ms())
        advance.duration_ms = clock.now_ms() - advance.began_ms
        return ended

    def _next_ms(self) -> float:
        return min(map(_next_ms, self._timers()))

    async def _step(self, advance: Advance) -> None:
        """Let the event loop run what is due at the present time."""
        now_ms, last = self.clock.now_ms(), self._last_record()
        advance.begin_step(now_ms)
        for _, timer in self._timers():
            if timer.next_expiration_ms <= now_ms:
                timer.clock_adjusted()
        with trio.move_on_after(_SETTLE_S_MAX):
            await wait_all_tasks_blocked()
        advance.end_step(self._records_since(last))

    def _last_record(self) -> WaitRecord | None:
        recorder = self._recorder
        return recorder.recent[-1] if recorder is not None and recorder.recent else None

    def _records_since(self, last: WaitRecord | None) -> list[WaitRecord]:
        if self._recorder is None:
            return []
        new = takewhile(lambda record: record is not last, reversed(self._recorder.recent))
        return list(new)[::-1]

    @contextmanager
    def _observed(self, advance: Advance) -> Iterator[None]:
        """Report each task that runs to *advance*."""
        timers = self._timers()
        for node_id, timer in timers:
            timer.on_run = advance.observer(node_id)
        try:
            yield
        finally:
            for _, timer in timers:
                timer.on_run = None

    @asynccontextmanager
    async def _frozen(self) -> AsyncIterator[None]:
        """Freeze the clock for one advance."""
        async with self._advancing:
            self.clock.freeze()
            try:
                yield
            finally:
                self._set_speed()

    def _apply_speed(self) -> None:
        if not self._advancing.locked():
            self._set_speed()

    def _set_speed(self) -> None:
        if self._speed:
            self.clock.run(self._speed)
        else:
            self.clock.freeze()
        for _, timer in self._timers():
            timer.clock_adjusted()


def _next_ms(each: NodeTimer) -> float:
    return each.timer.next_expiration_ms
