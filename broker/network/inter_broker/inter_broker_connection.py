"""A connection to another node, or to this one: one request at a time.

    send_request --> in flight --on_readable--> use(response), in slices --> send_request ...
         |                         |
         `---- a fault rule of the link withholds the request, or the response

The serving task serves it as it serves the connections of clients. So a response is used, and the
next request sent, without a task switch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from broker.common.do_nothing import do_nothing
from broker.network.inter_broker.in_flight_request import (
    RESPONSE_BYTES_MAX,
    InFlightRequest,
    receive,
)
from broker.network.inter_broker.link import Link, Passage
from broker.network.inter_broker.sasl_login import NodeLogin
from broker.network.serving.driver import Driver, Interest
from broker.network.serving.served import Served
from broker.network.transports.transport import Disconnected, Transport
from broker.steps.queue import Slices, finish
from protocol.codec import Malformed
from protocol.framing import Inbox, Scratch

# Responses up to this size are used in one slice: a few hundred batches.
AT_ONCE_BYTES: Final = 32 * 1024

# Uses a response in slices, which yield None only.
Use = Callable[[Any], Slices[None]]


def never() -> bool:
    """Whether a connection is held that is never held."""
    return False


class InterBrokerConnection(Served):
    """Sends requests over *transport*, for the fault rules of *link*.

    While *is_held* returns true, responses are not used; `resume` is called when that ends.
    *on_end* is called with the reason when the connection ends by itself, also because of an
    exception of a use. A request before which *login* is due is sent after that login.
    """

    __slots__ = (
        "_driver",
        "_in_flight",
        "_inbox",
        "_is_held",
        "_link",
        "_login",
        "_next_request",
        "_on_end",
        "_passage",
        "_slices",
        "_transport",
        "_unsent",
        "_use",
        "_withheld",
    )

    def __init__(
        self,
        transport: Transport,
        driver: Driver,
        scratch: Scratch,
        client_id: str,
        link: Link,
        on_end: Callable[[Exception], object],
        is_held: Callable[[], bool] = never,
        login: NodeLogin | None = None,
    ) -> None:
        super().__init__()
        self._transport = transport
        self._driver = driver
        self._inbox = Inbox(RESPONSE_BYTES_MAX, scratch)
        self._in_flight = InFlightRequest(client_id)
        self._link = link
        self._on_end = on_end
        self._is_held = is_held
        self._login = login
        self._next_request: tuple[Any, Use] | None = None  # it is sent after the login in progress
        self._use: Use = _not_requested
        self._unsent = memoryview(b"")
        self._slices: Slices[None] | None = None  # of the use of a long response
        self._passage: Passage | None = None  # of the message that is withheld
        self._withheld: memoryview | None = None  # a response that has not arrived yet

    def send_request(self, body: Any, use: Use) -> None:
        """Send a request, and call *use* with the response.

        The records in the response stay valid until the slices of *use* end. A connection that has
        ended on the other side reports this to ``on_end`` later.
        """
        assert not self.is_closed
        login = self._login
        if login is not None and login.is_due:
            self._next_request = body, use
            body, use = login.first(), self._continue_login
        self._begin_request(body, use)

    def _begin_request(self, body: Any, use: Use) -> None:
        frame = self._in_flight.begin(body)
        self._use = use
        self._unsent = memoryview(frame)
        outgoing = self._link.outgoing
        if outgoing.is_faulty and self._withhold(Passage.of_message(outgoing)):
            return
        self._send()

    def _continue_login(self, response: Any) -> Slices[None]:
        """Send the next request of the login in progress, or the request that waits for it."""
        assert self._login is not None
        request = self._login.following(response)
        if request is not None:
            self._begin_request(request, self._continue_login)
        else:
            postponed, self._next_request = self._next_request, None
            assert postponed is not None
            self._begin_request(postponed[0], postponed[1])
        yield from ()

    def resume(self) -> None:
        """Continue after ``is_held`` has returned true."""
        self._driver.resume()

    def close(self) -> None:
        """Close the connection immediately, without a call of ``on_end``."""
        if self.is_closed:
            return
        self.is_closed = True
        self._driver.close()
        self._transport.close()
        self._inbox.clear()
        if self._passage is not None:
            self._passage.on_over = do_nothing
            self._passage.end("closed on this side")

    # ------------------------------------------------------------------ of the serving task

    def on_readable(self) -> Interest:
        """See `Served.on_readable`."""
        if self.is_closed:
            return Interest.CLOSED
        try:
            if self._may_continue:
                receive(self._transport, self._inbox)
            return self._continue()
        except Exception as error:
            self._end(error)
        finally:
            self._inbox.settle()
        return Interest.CLOSED

    def on_resume(self) -> Interest:
        """See `Served.on_resume`."""
        if self.is_closed:
            return Interest.CLOSED
        try:
            return self._continue()
        except Exception as error:
            self._end(error)
        return Interest.CLOSED

    def on_writable(self) -> bool:
        """See `Served.on_writable`."""
        if not self.is_closed:
            self._send_part()
        return not self.is_closed and len(self._unsent) > 0

    def break_down(self, bug: Exception) -> None:
        """See `Served.break_down`."""
        self._end(bug)

    def shut_down(self) -> None:
        """See `Served.shut_down`."""
        self._end(Disconnected("the node stops"))

    # ------------------------------------------------------------------------------ private

    @property
    def _may_continue(self) -> bool:
        return self._passage is None and not self._is_held()

    def _continue(self) -> Interest:
        """Use what has arrived; returns what to wait for next."""
        while not self.is_closed:
            if not self._may_continue:
                return Interest.RESUME
            if self._slices is not None:
                if self._has_slice():
                    return Interest.TURN
            elif (frame := self._next_frame()) is not None:
                self._begin_use(frame)
            elif self._passage is None:
                return Interest.READ
        return Interest.CLOSED

    def _next_frame(self) -> memoryview | None:
        """The next response, when it has arrived."""
        frame, self._withheld = self._withheld, None
        if frame is not None:
            return frame
        frame = self._inbox.next_frame()
        if frame is None:
            return None
        if self._unsent:
            raise Malformed("a response to a request that is not wholly sent")
        incoming = self._link.incoming
        if incoming.is_faulty and self._withhold(Passage.of_message(incoming)):
            self._withheld = memoryview(bytes(frame))  # others use the buffer meanwhile
            return None
        return frame

    def _begin_use(self, frame: memoryview) -> None:
        if len(frame) <= AT_ONCE_BYTES:
            finish(self._use(self._in_flight.end(frame)))
            return
        if self._inbox.is_shared:
            frame = memoryview(bytes(frame))
        self._slices = self._use(self._in_flight.end(frame))

    def _has_slice(self) -> bool:
        """Run the next slice of the use of a response; False after the last one."""
        assert self._slices is not None
        try:
            next(self._slices)
        except StopIteration:
            self._slices = None
            return False
        return True

    def _withhold(self, passage: Passage | None) -> bool:
        """Wait until a message has arrived; False if it has."""
        if passage is None:
            return False
        self._passage = passage
        self._link.withhold(passage, self._passed)
        return True

    def _passed(self) -> None:
        """Continue: the message that was withheld has arrived, or will not."""
        passage, self._passage = self._passage, None
        assert passage is not None
        if passage.failure is not None:
            self._end(Disconnected(passage.failure))
            return
        if self._unsent:
            self._send()
        self._driver.resume()

    def _send(self) -> None:
        self._send_part()
        if self._unsent:
            self._driver.drain()

    def _send_part(self) -> None:
        """Send what the transport takes of the request."""
        # A compiled slice evaluates its bounds twice, so they must not have effects.
        try:
            sent_bytes = self._transport.send([self._unsent])
        except Disconnected:  # the next receive raises it
            sent_bytes = len(self._unsent)
        self._unsent = self._unsent[sent_bytes:]

    def _end(self, reason: Exception) -> None:
        if not self.is_closed:
            self.close()
            self._on_end(reason)


def _not_requested(_response: Any) -> Slices[None]:
    """The use of a response before the first request; it is not called."""
    raise AssertionError("a response without a request is malformed")
