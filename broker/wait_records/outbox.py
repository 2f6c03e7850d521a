"""Wait records on their way out: to a file, to a topic, and never in anybody's way.

    put --> encoded, pending --(a little later)--> sinks, each on its own terms
     `----- full: dropped, and counted

A record is put in when its answer is with the kernel, so that its own client does not wait for the
encoding, which takes about a microsecond; and no request waits for what happens afterwards.
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
    """Takes records as JSON, a line each and without its end; counts what it cannot take."""

    def add(self, lines: Lines) -> None:
        """Some more, to be written."""
        ...

    async def flush(self) -> None:
        """Write all that has been added; what a cancellation leaves is written by `close`."""
        ...

    def close(self) -> None:
        """Write all at once and let go: the broker stops."""
        ...

    def statistics(self) -> dict[str, Any]:
        """How many records were ``written`` and ``dropped``."""
        ...


class Outbox:
    """Holds ``room`` records at most; ``timer`` says when it is time to send them."""

    def __init__(
        self, timer: SystemTimer, sinks: Sequence[Sink], *, room: int = OUTBOX_MAX
    ) -> None:
        self._timer = timer
        self._sinks = sinks
        self._room = room
        self._pending: list[bytes] = []
        self._due = trio.Event()
        self._idle = True
        self._dropped = 0

    def put(self, record: WaitRecord) -> None:
        """Take a record, or drop it if too many wait already."""
        pending = self._pending
        if len(pending) >= self._room:
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
        """Send what is put in, until cancelled; then there is still `close`."""
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
        """Send everything now, and close the sinks."""
        self._hand_over()
        for sink in self._sinks:
            sink.close()

    def statistics(self) -> dict[str, Any]:
        """How many records wait to be sent, how many found no room, and what the sinks count."""
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
