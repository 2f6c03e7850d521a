"""A connection to another node, or to this one: one request at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import trio

from broker.network.link import Link, Passage
from broker.network.transport import Disconnected, Transport
from broker.steps.queue import Slices, finish
from protocol.codec import Malformed
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
    """Sends requests over *transport*; awaits ``gate`` before each send and each receive.

    Without a *link* no fault rule concerns the connection.
    """

    def __init__(
        self,
        transport: Transport,
        scratch: Scratch,
        client_id: str,
        gate: Callable[[], Awaitable[object]] = always,
        link: Link | None = None,
    ) -> None:
        self._transport = transport
        self._inbox = Inbox(RESPONSE_BYTES_MAX, scratch)
        self._client_id = client_id
        self._gate = gate
        self._correlation_id = 0
        self._requested: Any = None
        self._unsent = memoryview(b"")
        self._link = link
        self._passage: Passage | None = None
        self._withheld: memoryview | None = None  # a response that has not arrived yet

    def begin(self, body: Any) -> None:
        """Send a request as far as that needs no wait; `response` sends the rest.

        Raises `Disconnected`.
        """
        assert self._requested is None, "one request is in flight at a time"
        self._requested = body
        self._correlation_id += 1
        version = body.__spec__.versions[-1]
        data = encode_request(body, version, self._correlation_id, self._client_id)
        link = self._link
        if link is not None and link.outgoing.is_faulty:
            self._passage = Passage.of_message(link.outgoing)
            if self._passage is not None:
                self._unsent = memoryview(data)
                return
        self._unsent = memoryview(data)[self._transport.send([data]) :]

    @property
    def is_sent(self) -> bool:
        """Whether the whole request of `begin` was sent."""
        return not self._unsent

    async def response(self) -> Any:
        """Wait for the response to the request of `begin`, which may also begin meanwhile.

        It may be cancelled and called again. Raises `Disconnected`, `Malformed`.
        """
        frame = await self._frame()
        try:
            return self._decoded(frame)
        finally:
            self._inbox.settle()

    async def send_request(self, body: Any, use: Callable[[Any], T]) -> T:
        """Send a request and return the result of *use* for the response.

        *use* runs before the receive buffer, which has the records, is reused. Raises
        `Disconnected`, `Malformed`.
        """
        frame = await self._exchange(body)
        try:
            return use(self._decoded(frame))
        finally:
            self._inbox.settle()

    async def send_request_in_slices(self, body: Any, use: Callable[[Any], Slices[T]]) -> T:
        """Send a request and return the result of *use*, run in slices if the response is long.

        The records in the response stay valid until the end. Raises `Disconnected`, `Malformed`.
        """
        frame = await self._exchange(body)
        try:
            if len(frame) <= AT_ONCE_BYTES:
                return finish(use(self._decoded(frame)))
            if self._inbox.is_shared:
                frame = memoryview(bytes(frame))
            slices = use(self._decoded(frame))
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
        await self._gate()
        self.begin(body)
        return await self._frame()

    def _decoded(self, frame: memoryview) -> Any:
        requested, self._requested = self._requested, None
        if requested is None:
            raise Malformed("a response without a request")
        spec = requested.__spec__
        correlation_id, response = decode_response(RESPONSES[spec.key], spec.versions[-1], frame)
        assert correlation_id == self._correlation_id, "a node responds in the order of requests"
        return response

    def close(self) -> None:
        """Close the connection immediately."""
        self._transport.close()
        if self._passage is not None:
            self._passage.end("closed on this side")

    async def _frame(self) -> memoryview:
        """The next response, when it has arrived."""
        if self._withheld is None:
            await self._pass()
            frame = await self._received()
            link = self._link
            if link is None or not link.incoming.is_faulty:
                return frame
            self._withheld = memoryview(bytes(frame))  # other connections use the buffer meanwhile
            self._passage = Passage.of_message(link.incoming)
        await self._pass()
        frame, self._withheld = self._withheld, None
        return frame

    async def _pass(self) -> None:
        """Wait until the message that is withheld, if there is one, has arrived."""
        if self._passage is not None:
            assert self._link is not None
            await self._link.wait(self._passage)
            self._passage = None

    async def _received(self) -> memoryview:
        while self._unsent:
            await self._transport.wait_writable()
            self._unsent = self._unsent[self._transport.send([self._unsent]) :]
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
