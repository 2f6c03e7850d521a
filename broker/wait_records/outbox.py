"""Wait records that are to be written to a file or a topic.

    put --> encoded, pending --(LINGER_MS later)--> every sink
     `----- too many are pending: dropped and counted

A record is put in after its response has been sent, so the encoding, about a microsecond, does not
delay the client. No request waits for a sink.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import trio

from broker.wait_records.json_line import json_line
from broker.wait_records.limits import LINGER_MS, OUTBOX_MAX
from broker.wait_records.record import WaitRecord
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

Lines = Sequence[bytes]


class Sink(Protocol):
    """Takes records as lines of JSON without their ends, and counts those it cannot write."""

    def add(self, lines: Lines) -> None:
        """Add lines that are to be written."""
        ...

    async def flush(self) -> None:
        """Write what has been added; `close` writes what a cancellation leaves."""
        ...

    def close(self) -> None:
        """Write what has been added, without other tasks running, and close: the broker stops."""
        ...

    def statistics(self) -> dict[str, Any]:
        """How many records were ``written`` and ``dropped``, and which sink this is."""
        ...


class Outbox:
    """Holds at most *records_max* records, which *timer* sends to *sinks*."""

    def __init__(
        self, timer: SystemTimer, sinks: Sequence[Sink], *, records_max: int = OUTBOX_MAX
    ) -> None:
        self._timer = timer
        self._sinks = sinks
        self._records_max = records_max
        self._pending: list[bytes] = []
        self._due = trio.Event()
        self._idle = True
        self._dropped = 0

    def put(self, record: WaitRecord) -> None:
        """Encode a record, or drop it if too many are pending or it cannot be encoded."""
        pending = self._pending
        if len(pending) >= self._records_max:
            self._dropped += 1
            return
        try:
            pending.append(json_line(record))
        except Exception as error:
            self._dropped += 1
            self._timer.on_error("encoding a wait record", error)
            return
        if self._idle:
            self._idle = False
            self._timer.add(_Wake(self._due))

    async def run(self) -> None:
        """Send records until cancelled; `close` sends the rest."""
        while True:
            await self._due.wait()
            self._hand_over()
            for sink in self._sinks:
                try:
                    await sink.flush()
                except Exception as error:
                    self._timer.on_error(f"a sink for wait records, {sink!r},", error)
            self._due = trio.Event()
            if self._pending:
                self._timer.add(_Wake(self._due))
            else:
                self._idle = True

    def close(self) -> None:
        """Send what is pending and close the sinks."""
        self._hand_over()
        for sink in self._sinks:
            sink.close()

    def statistics(self) -> dict[str, Any]:
        """How many records are ``pending`` and were ``dropped``, and the counts of the sinks."""
        return {
            "pending": len(self._pending),
            "dropped": self._dropped,
            "sinks": [sink.statistics() for sink in self._sinks],
        }

    def _hand_over(self) -> None:
        lines, self._pending = self._pending, []
        for sink in self._sinks:
            sink.add(lines)


class _Wake(TimerTask):
    __slots__ = ("_due",)

    def __init__(self, due: trio.Event) -> None:
        super().__init__(LINGER_MS)
        self._due = due

    def run(self) -> None:
        self._due.set()
