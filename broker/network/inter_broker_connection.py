"""A connection to another node, or to this one: one request at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import trio

from broker.network.transport import Disconnected, Transport
from broker.steps.queue import Slices, finish
from protocol.framing import Inbox, Scratch
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES

T = TypeVar("T")

RESPONSE_BYTES_MAX = 2**31 - 1

# Responses up to this size are used in one slice: a few hundred batches.
AT_ONCE_BYTES = 32 * 1024


async def always() -> None:
    """The gate of a connection that is never paused."""


class InterBrokerConnection:
    """Sends requests over *transport*; awaits ``gate`` before each send and each receive."""

    def __init__(
        self,
        transport: Transport,
        scratch: Scratch,
        client_id: str,
        gate: Callable[[], Awaitable[object]] = always,
    ) -> None:
        self._transport = transport
        self._inbox = Inbox(RESPONSE_BYTES_MAX, scratch)
        self._client_id = client_id
        self._gate = gate
        self._correlation_id = 0

    @property
    def is_idle(self) -> bool:
        """Whether the connection is open and nothing has arrived, so that it can be used."""
        try:
            self._transport.receive_into(memoryview(bytearray(1)))
        except BlockingIOError:
            return True
        except Disconnected:
            return False
        return False

    async def send_request(self, body: Any, use: Callable[[Any], T]) -> T:
        """Send a request and return the result of *use* for the response.

        *use* runs before the receive buffer, which has the records, is reused. Raises
        `Disconnected`, `Malformed`.
        """
        frame = await self._exchange(body)
        try:
            return use(self._decoded(body, frame))
        finally:
            self._inbox.settle()

    async def send_request_in_slices(self, body: Any, use: Callable[[Any], Slices[T]]) -> T:
        """Send a request and return the result of *use*, run in slices if the response is long.

        The records in the response stay valid until the end. Raises `Disconnected`, `Malformed`.
        """
        frame = await self._exchange(body)
        try:
            if len(frame) <= AT_ONCE_BYTES:
                return finish(use(self._decoded(body, frame)))
            if self._inbox.is_shared:
                frame = memoryview(bytes(frame))
            slices = use(self._decoded(body, frame))
            while True:
                try:
                    next(slices)
                except StopIteration as end:
                    result: T = end.value
                    return result
                await trio.lowlevel.checkpoint()
                await self._gate()
        finally:
            self._inbox.settle()

    async def _exchange(self, body: Any) -> memoryview:
        self._correlation_id += 1
        version = body.__spec__.versions[-1]
        await self._gate()
        await self._send(encode_request(body, version, self._correlation_id, self._client_id))
        return await self._frame()

    def _decoded(self, body: Any, frame: memoryview) -> Any:
        spec = body.__spec__
        correlation_id, response = decode_response(RESPONSES[spec.key], spec.versions[-1], frame)
        assert correlation_id == self._correlation_id, "a node responds in the order of requests"
        return response

    def close(self) -> None:
        """Close the connection immediately."""
        self._transport.close()

    async def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._transport.send([rest]) :]
            if rest:
                await self._transport.wait_writable()

    async def _frame(self) -> memoryview:
        while (frame := self._inbox.next_frame()) is None:
            self._inbox.settle()
            await self._transport.wait_readable()
            await self._gate()
            try:
                count = self._transport.receive_into(self._inbox.space())
            except BlockingIOError:
                continue
            if count == 0:
                raise Disconnected("the node has closed the connection")
            self._inbox.received(count)
        return frame
