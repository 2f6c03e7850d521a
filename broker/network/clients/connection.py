"""A client's connection: frames in, one request in progress, responses out in order.

Each event method returns its `Interest`: what its `broker.network.serving.channel` waits for next.

    on_readable -> Reader.receive -> next_frame -> dispatch -> (park) ... respond -> Writer.flush
         ^                              ^                                    |            |
         |                              `--- on_resume <-- frames wait ------+            |
         `--------------------------------- on_writable <-- the socket is full -----------'

Frames behind the request in progress wait in the reader, as Kafka mutes the channel until the
response has been sent. They are received meanwhile, which is how the end of the connection is
noticed; then the request in progress is abandoned. The same holds while the client is throttled:
its response has been sent and contains the throttle time (KIP-219).

The code that completes a request sends the response without a task switch, alone or together with a
few other responses.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from broker.common.errors import Refused
from broker.network.clients.connected_client import ConnectedClient
from broker.network.clients.idle_expiry import IdleExpiry
from broker.network.clients.in_progress import CloseReason, InProgress
from broker.network.clients.reader import Reader, ReaderState
from broker.network.clients.writer import OnSent, Writer, WriterState
from broker.network.serving.driver import Driver, Interest
from broker.network.serving.memory_pool import MemoryPool
from broker.network.serving.served import Served
from broker.network.transports.transport import Disconnected, TlsFailed, Transport
from broker.quotas.throttle import Throttle
from broker.quotas.throttled_channel import ThrottledChannel
from broker.security.session import ANONYMOUS_SESSION, Session
from protocol.codec import Malformed, Output
from protocol.framing import InvalidLength, Scratch
from protocol.output import SpliceLost
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.connection")

_SEND_TOGETHER_BYTES: Final = 1 << 18  # of responses to pipelined requests, about

_READ: Final = Interest.READ
_ENDED: Final = ReaderState.ENDED
_IDLE: Final = WriterState.IDLE

_ids = count(1)  # for wait records and the admin interface

Dispatch = Callable[["Connection", memoryview, float], None]
RefuseLength = Callable[["Connection", InvalidLength], None]
OnBug = Callable[[str, Exception], None]


class Connection(Served):
    """One client's connection.

    ``dispatch`` starts a request from a frame, of up to ``request_bytes_max`` bytes, and its
    arrival time; `continue_with` replaces both. ``refuse_length`` ends the connection after a frame
    of another length, by default at once. All connections of the thread receive into ``scratch``.
    The connection closes if nothing is received or sent for ``idle_ms``, unless that is negative.
    ``memory`` bounds what all connections of the node hold. ``session`` is the client; its
    authentication replaces it.

    An exception while it reads or writes is a bug: it closes and calls ``on_bug`` with the peer's
    address and the exception, which that function confines to this connection or raises.
    """

    __slots__ = (
        "_driver",
        "_idle",
        "_is_serving",
        "_now_ms",
        "_reader",
        "_refuse_length",
        "_throttled",
        "_timer",
        "_transport",
        "_writer",
        "active_ms",
        "authenticator",
        "client",
        "dispatch",
        "free_ms",
        "id",
        "in_progress",
        "muted_by",
        "on_bug",
        "peer",
        "session",
    )

    def __init__(
        self,
        transport: Transport,
        driver: Driver,
        dispatch: Dispatch,
        *,
        request_bytes_max: int,
        scratch: Scratch,
        timer: SystemTimer,
        idle_ms: int,
        memory: MemoryPool | None,
        on_bug: OnBug,
        session: Session = ANONYMOUS_SESSION,
        refuse_length: RefuseLength | None = None,
    ) -> None:
        super().__init__()
        self.id = next(_ids)
        self.peer = transport.peer
        self.in_progress: InProgress | None = None
        self.on_bug = on_bug
        self.session = session
        self.authenticator: Any = None
        self.dispatch = dispatch
        self._refuse_length = refuse_length or Connection.refuse
        self._transport = transport
        self._driver = driver
        self._timer = timer
        self._now_ms = timer.now_ms
        self._reader = Reader(transport, timer, scratch, request_bytes_max, memory)
        self._writer = Writer(transport)
        self._is_serving = False  # whether frames are dispatched; then responses are sent together
        self._throttled: ThrottledChannel | None = None
        self.muted_by: Throttle | None = None  # the last throttle; for wait records
        self.active_ms = self._reader.received_ms  # when bytes were received or sent last
        self.client = ConnectedClient(self.active_ms)
        self.free_ms = self.active_ms  # when the next request could begin; for wait records
        self._idle = None if idle_ms < 0 else IdleExpiry(timer, self, idle_ms)

    @property
    def held_bytes(self) -> int:
        """The memory of requests received in part, and of responses not sent."""
        return self._reader.held_bytes + self._writer.held_bytes

    def on_readable(self) -> Interest:
        """Receive what has arrived, and serve it unless a request is in progress."""
        if self.is_closed:
            return Interest.CLOSED
        reader = self._reader
        try:
            if reader.lacks_memory:
                return Interest.MEMORY
            if reader.receive():
                self.active_ms = reader.received_ms
                if self._may_serve:
                    return self._serve()
                reader.settle()
            return self._interest()
        except Disconnected as ended:
            self._disconnected(ended)
        except (Malformed, Refused) as reason:
            self.refuse(reason)
        except Exception as bug:
            self.break_down(bug)
        return Interest.CLOSED

    def on_resume(self) -> Interest:
        """Serve the frames that wait, if the request before them has ended."""
        if self.is_closed:
            return Interest.CLOSED
        self.free_ms = self._now_ms()
        try:
            return self._serve() if self._may_serve else self._interest()
        except (Malformed, Refused) as reason:
            self.refuse(reason)
        except Exception as bug:
            self.break_down(bug)
        return Interest.CLOSED

    def on_writable(self) -> bool:
        """Send more of what is unsent; False if the driver is to wait for room no longer."""
        if self.is_closed:
            return False
        self._send()
        self.active_ms = self._now_ms()
        if self._writer.state is WriterState.DRAINING:
            return True
        self._driver.resume()
        return False

    def expire(self) -> None:
        """Close the connection because it was idle (`IdleExpiry`)."""
        log.info("closing connection from %s: it is idle", self.peer)
        self.close()

    def begin(self, request: InProgress) -> None:
        """Make *request* the one in progress; called by dispatch."""
        assert self.in_progress is None
        self.in_progress = request

    def respond(
        self, request: InProgress, out: Output | None, on_sent: OnSent | None = None
    ) -> None:
        """End the request in progress with the encoded response (None: it has none).

        The frame begins in *out* at 0. *on_sent* is called when the socket has taken it.
        """
        assert self.in_progress is request, "a request has exactly one response"
        self.in_progress = None
        reader, writer = self._reader, self._writer
        if reader.kept_bytes:
            reader.release_frame()
        if out is not None:
            writer.add(out)
        if on_sent is not None:
            writer.when_sent(on_sent)
        if not self._is_serving and not self._driver.defer_send():
            self.send_deferred()

    def send_deferred(self) -> None:
        """Send the response that has been added, and serve the frames that wait after that."""
        if self.is_closed:
            return
        reader, writer = self._reader, self._writer
        if writer.state is _IDLE:
            self._send()
        self.active_ms = self._now_ms()
        if not writer.unsent_bytes and (reader.inbox.has_frame() or reader.state is _ENDED):
            self._driver.resume()

    def continue_with(self, dispatch: Dispatch, request_bytes_max: int) -> None:
        """Pass the following frames, of up to ``request_bytes_max`` bytes, to *dispatch*."""
        self.dispatch = dispatch
        self._reader.inbox.max_frame_bytes = request_bytes_max

    def keep_frame(self, size_bytes: int) -> bool:
        """Keep the memory of the request in progress until its response; False if it is shared."""
        return self._reader.keep_frame(size_bytes)

    def resume(self) -> None:
        """Continue to read: the request in progress is no longer computed."""
        self._driver.resume()

    def mute(self, throttle: Throttle) -> None:
        """Begin no request for its time; the response to the present one is still sent."""
        if not self.is_closed:
            self.muted_by = throttle
            self._throttled = ThrottledChannel(self._timer, throttle.time_ms, self.unmute)

    def unmute(self) -> None:
        """End the throttle, if there is one."""
        if self._throttled is not None:
            self._throttled.cancel()
            self._throttled = None
        if self._may_serve:
            self._driver.resume()

    def send_piece(self, piece: bytes) -> None:
        """Send a piece of the response to the request in progress; not in dispatch."""
        self._writer.add_bytes(piece)
        if self._writer.state is _IDLE:
            self._send()
        self.active_ms = self._now_ms()

    def send(self, out: Output) -> None:
        """Send the encoded frame in *out*, which is not the response of a request; in dispatch."""
        assert self._is_serving
        self._writer.add(out)

    def close_when_sent(self) -> None:
        """Close the connection when all responses have been sent; not called in dispatch."""
        assert not self._is_serving
        if self._writer.unsent_bytes:
            self._writer.when_sent(self.close)
        else:
            self.close()

    def close(self, reason: CloseReason = CloseReason.DISCONNECT) -> None:
        """End the connection at once; the request in progress is abandoned for *reason*."""
        if self.is_closed:
            return
        self.is_closed = True
        self._driver.close()
        self._transport.close()
        self._writer.close()
        self._reader.close()
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None  # it refers to the connection
        if self._throttled is not None:
            self._throttled.cancel()
        request, self.in_progress = self.in_progress, None
        if request is not None:
            request.abandon(reason)

    def shut_down(self) -> None:
        """End the connection because its node stops."""
        self.close(CloseReason.SHUTDOWN)

    def refuse(self, reason: Malformed | Refused) -> None:
        """End the connection because of what the client has sent."""
        log.warning("closing connection from %s: %s", self.peer, reason)
        self.close(CloseReason.ERROR)

    def drop(self, reason: Refused) -> None:
        """End the connection after the responses that the socket takes now."""
        self.send_deferred()
        self.refuse(reason)

    def _disconnected(self, reason: Disconnected) -> None:
        """End the connection because the transport has; a failure of TLS is logged."""
        if isinstance(reason, TlsFailed):
            where = f"{self.peer} on listener {self.session.listener}"
            log.warning("closing connection from %s: TLS failed: %s", where, reason)
        self.close()

    def break_down(self, bug: Exception) -> None:
        """End the connection because of an unexpected exception, which is passed to ``on_bug``."""
        self.close(CloseReason.ERROR)
        self.on_bug(self.peer, bug)

    @property
    def _may_serve(self) -> bool:
        """Whether the next frame may be dispatched."""
        return (
            self.in_progress is None and not self._writer.unsent_bytes and self._throttled is None
        )

    def _serve(self) -> Interest:
        """Dispatch the frames that wait, until one is in progress or others are to be served."""
        reader, writer, driver = self._reader, self._writer, self._driver
        inbox = reader.inbox
        self._is_serving, is_turn_over = True, False
        while (
            self.in_progress is None
            and writer.unsent_bytes < _SEND_TOGETHER_BYTES
            and self._throttled is None
            and not self.is_closed
        ):
            try:
                received = reader.next_frame()
            except InvalidLength as reason:
                self._refuse_length(self, reason)
                break
            if received is None:
                break
            self.dispatch(self, *received)
            driver.send_deferred()
            if writer.unsent_bytes >= _SEND_TOGETHER_BYTES and writer.state is _IDLE:
                self._send()
            if not inbox.pending_bytes or (is_turn_over := driver.is_turn_over()):
                break
        self._is_serving = False
        reader.settle()
        if writer.state is _IDLE:
            self._send()
        return Interest.TURN if is_turn_over else self._interest()

    def _interest(self) -> Interest:
        """What to wait for when the frames that may be served have been."""
        if self.is_closed:
            return Interest.CLOSED
        reader = self._reader
        if reader.state is _ENDED:
            return self._interest_after_end()
        request = self.in_progress
        if request is None and not self._writer.unsent_bytes and self._throttled is None:
            return _READ
        if reader.is_full or (request is not None and request.is_computed):
            return Interest.RESUME
        return Interest.READ_OR_RESUME if reader.inbox.has_frame() else _READ

    def _interest_after_end(self) -> Interest:
        """What to wait for when the client sends no more; it may still receive.

        It gets the responses that are unsent and those to frames that can be served now. A request
        that waits is abandoned, and so is a throttled one.
        """
        if self._writer.unsent_bytes:
            return Interest.RESUME
        if self._may_serve and self._reader.inbox.has_frame():
            return Interest.TURN
        self.close()
        return Interest.CLOSED

    def _send(self) -> None:
        """Send what the socket takes; the driver waits for room for the rest.

        Called unless the driver waits for room already, and by the driver when there is room.
        """
        writer = self._writer
        was_idle = writer.state is _IDLE
        try:
            if writer.flush() and was_idle:
                self._driver.drain()
        except Disconnected as ended:
            self._disconnected(ended)
        except SpliceLost as lost:
            log.warning("closing connection from %s: %s", self.peer, lost)
            self.close()
        except Exception as bug:
            self.break_down(bug)
