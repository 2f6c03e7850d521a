"""Sends requests to another node on a transport that the serving task does not serve yet."""

from __future__ import annotations

from typing import Any

from broker.network.inter_broker.in_flight_request import (
    RESPONSE_BYTES_MAX,
    InFlightRequest,
    receive,
)
from broker.network.transports.transport import Transport
from protocol.framing import Inbox, Scratch


class RequestSender:
    """Sends one request after the other, and waits for each response."""

    def __init__(self, transport: Transport, scratch: Scratch, client_id: str) -> None:
        self._transport = transport
        self._inbox = Inbox(RESPONSE_BYTES_MAX, scratch)
        self._in_flight = InFlightRequest(client_id)

    async def response(self, body: Any) -> Any:
        """Send a request and wait for its response. Raises `Disconnected`, `Malformed`."""
        unsent = memoryview(self._in_flight.begin(body))
        while unsent := unsent[self._transport.send([unsent]) :]:
            await self._transport.wait_writable()
        while (frame := self._inbox.next_frame()) is None:
            self._inbox.settle()
            await self._transport.wait_readable()
            receive(self._transport, self._inbox)
        response = self._in_flight.end(memoryview(bytes(frame)))
        self._inbox.settle()
        return response
