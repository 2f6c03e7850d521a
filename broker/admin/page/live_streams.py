"""The streams of server-sent events (`text/event-stream`), one for each open page.

A page that reads slowly gets the latest state when it has read the one before; the states between
are not kept. A page that does not read is disconnected after the timeout of the HTTP connection.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from broker.admin.http import HttpError, Send
from broker.admin.page.live_state import INTERVAL_MS, LiveState
from broker.process.descriptors import shares
from broker.security.admin_tokens import AdminAccess

# The largest number of streams; other requests keep most of the connections.
STREAMS_MAX = 8
_CONNECTIONS_PER_STREAM = 4


class LiveStreams:
    """Writes *state* to each page; at most STREAMS_MAX, or a quarter of the connections."""

    def __init__(self, state: LiveState) -> None:
        self._state = state
        self._streams_max = max(1, min(STREAMS_MAX, shares().admin // _CONNECTIONS_PER_STREAM))
        self._open = 0

    async def write(self, access: AdminAccess, send: Send) -> None:
        """Send the events of each new state until cancelled; raises `HttpError` 503."""
        if self._open >= self._streams_max:
            raise HttpError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{self._open} streams of events are open, which is the limit; close a page",
            )
        self._open += 1
        try:
            await self._write(access, send)
        finally:
            self._open -= 1

    async def _write(self, access: AdminAccess, send: Send) -> None:
        state, sent = self._state, dict[str, bytes]()
        await send(_hello(access))
        number = state.request()
        while True:
            await state.newer(number)
            number, events = state.number, state.events
            await send(_changed(events, sent) + _end(number))
            sent.update(events)


def _hello(access: AdminAccess) -> bytes:
    facts = {"may_change": access is AdminAccess.FULL, "interval_ms": INTERVAL_MS}
    return f"event: hello\ndata: {json.dumps(facts)}\n\n".encode()


def _changed(events: Mapping[str, bytes], sent: Mapping[str, bytes]) -> bytes:
    """The parts that the page does not have."""
    return b"".join(event for name, event in events.items() if sent.get(name) is not event)


def _end(number: int) -> bytes:
    """The event after the parts of a state."""
    return f'event: state\ndata: {{"number":{number}}}\n\n'.encode()
