"""A client's connection: frames in, one request in progress, answers out in order.

One task reads. It hands every complete frame to `dispatch` until one parks; frames behind a parked
request stay in the inbox, as Kafka mutes the channel until the response has been sent. The answer
of a parked request is encoded and sent by whoever completes it, without a task switch; only a full
socket buffer starts a task that waits for room, and only frames that wait behind the parked request
make it wake the reading task.

    wait_readable -> receive_into -> next_frame -> dispatch -> (park) ... complete -> send
          ^                              |                                              |
          +----- nothing more to do -----+------------- frames are waiting -------------+

The reading task goes on reading while a request is parked, up to ``PIPELINE_BYTES_MAX``: that is
how it learns that the client has gone away, and then the parked operation is abandoned.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

import trio

from broker.arrivals import Arrivals
from broker.errors import Refused
from broker.transport import Disconnected, Transport
from protocol.codec import Malformed, Output, encode_into
from protocol.framing import LENGTH_BYTES, Inbox, Scratch
from protocol.headers import begin_response

if TYPE_CHECKING:
    from broker.request import Request
    from broker.waits.record import WaitRecord
    from broker.waits.recorder import Recorder

log = logging.getLogger("antechamber.connection")

# Kafka mutes the channel and leaves such bytes in the socket; we keep this much to notice an end.
PIPELINE_BYTES_MAX = 1 << 20
# Answers to pipelined requests are sent together, up to about this much at once.
_SEND_TOGETHER_BYTES = 1 << 18

# Connections are told apart by numbers, in wait records and on the admin interface.
_ids = count(1)

Dispatch = Callable[["Connection", memoryview, float], None]


class Connection:
    """One client's connection.

    ``dispatch`` starts a request from a frame, given when that had been read; all connections of
    the thread receive into ``scratch``.
    """

    def __init__(
        self,
        transport: Transport,
        dispatch: Dispatch,
        nursery: trio.Nursery,
        *,
        request_bytes_max: int,
        scratch: Scratch,
        now_ms: Callable[[], float],
        recorder: Recorder | None = None,
    ) -> None:
        self.id = next(_ids)
        self._arrivals = Arrivals()
        self._now_ms = now_ms
        self._recorder = recorder
        self.transport = transport
        self._dispatch = dispatch
        self._nursery = nursery
        self._inbox = Inbox(request_bytes_max, scratch)
        self.in_progress: Request[Any] | None = None
        self._serving = False
        self._closed = False
        # Invariant: while anything is unsent, no further frame is dispatched.
        self._unsent: list[bytes | bytearray | memoryview] = []
        self._unsent_bytes = 0
        self._recorded: list[WaitRecord] = []  # of the answers among them
        self._draining = False
        self._wakeup: trio.CancelScope | None = None

    async def run(self) -> None:
        """Serve the connection until either side ends it."""
        try:
            while await self._receive():
                self._serve_frames()
        except (Malformed, Refused) as reason:
            log.warning("closing connection from %s: %s", self.transport.peer, reason)
        except (Disconnected, trio.ClosedResourceError):
            pass
        finally:
            self.close()

    def close(self) -> None:
        """End the connection at once; a parked request is abandoned."""
        if self._closed:
            return
        self._closed = True
        self.transport.close()
        request, self.in_progress = self.in_progress, None
        if request is not None and request.on_disconnect is not None:
            abandon, request.on_disconnect = request.on_disconnect, None
            abandon()
        if request is not None and request.record is not None:
            assert self._recorder is not None
            self._recorder.abandoned(request)

    def begin(self, request: Request[Any]) -> None:
        """Make *request* the one in progress; called by dispatch."""
        assert self.in_progress is None
        self.in_progress = request

    def complete(self, request: Request[Any], response: object | None) -> None:
        """Send the answer of the request in progress (None: it has none) and go on."""
        request.node.changes.notify()
        if self._closed:
            return
        assert self.in_progress is request, "a request is answered exactly once"
        self.in_progress = None
        if request.record is not None:
            assert self._recorder is not None
            self._recorded.append(self._recorder.completed(request, response))
        # Breaks a cycle: a parked operation holds its request.
        request.on_disconnect = request.operation = None
        if response is not None:
            out = Output()
            start = begin_response(out, request.header)
            encode_into(out, response, request.version)
            self.queue(out, start)
        if not self._serving:
            self._flush()
            if not self._unsent_bytes and self._inbox.has_frame():
                self._wake()

    def queue(self, out: Output, start: int) -> None:
        """Put an encoded answer behind those not yet sent; *start* is where its length goes."""
        self._unsent_bytes += out.finish_frame(start)
        self._unsent += out.parts()

    # ------------------------------------------------------------------------------ reading

    async def _receive(self) -> bool:
        """Wait for bytes, or for the moment when frames that wait may go on; False at the end."""
        while True:
            if self.in_progress is not None or self._unsent_bytes:
                if not await self._wait_while_busy():
                    return True
            else:
                await self.transport.wait_readable()
            try:
                count = self.transport.receive_into(self._inbox.space())
            except BlockingIOError:
                continue
            if count == 0:
                return False
            self._inbox.received(count)
            self._arrivals.received(count, self._now_ms())
            if not self._unsent_bytes and self.in_progress is None:
                return True
            self._inbox.settle()

    async def _wait_while_busy(self) -> bool:
        """Wait until there are bytes (True), or until the request in progress is done (False).

        Only frames that already wait make its end worth a wake-up.
        """
        full = self._inbox.pending_bytes >= PIPELINE_BYTES_MAX
        if not full and not self._inbox.has_frame():
            await self.transport.wait_readable()
            return True
        with trio.CancelScope() as self._wakeup:
            if full:
                await trio.sleep_forever()
            await self.transport.wait_readable()
        woken, self._wakeup = self._wakeup.cancelled_caught, None
        return not woken

    def _wake(self) -> None:
        if self._wakeup is not None:
            self._wakeup.cancel()

    def _serve_frames(self) -> None:
        self._serving = True
        while self.in_progress is None and self._unsent_bytes < _SEND_TOGETHER_BYTES:
            frame = self._inbox.next_frame()
            if frame is None:
                break
            self._dispatch(self, frame, self._arrivals.frame(len(frame) + LENGTH_BYTES))
            if self._unsent_bytes >= _SEND_TOGETHER_BYTES:
                self._flush()
        self._serving = False
        self._inbox.settle()
        self._flush()

    # ------------------------------------------------------------------------------ sending

    def _flush(self) -> None:
        """Send what can be sent without waiting; leave the rest to a task of its own."""
        if self._draining or self._closed:
            return
        if self._unsent_bytes:
            try:
                self._send_some()
            except Disconnected:
                # The reading task is told by its own next read, and cleans up there.
                self._unsent, self._unsent_bytes = [], 0
        if self._unsent_bytes:
            self._draining = True
            self._nursery.start_soon(self._drain)
        elif self._recorded:
            self._note_sent()

    def _note_sent(self) -> None:
        assert self._recorder is not None
        recorded, self._recorded = self._recorded, []
        self._recorder.sent(recorded)

    def _send_some(self) -> None:
        while self._unsent:
            sent = self.transport.send(self._unsent)
            self._unsent_bytes -= sent
            if self._unsent_bytes == 0:
                self._unsent = []
                return
            if sent == 0:
                return
            self._forget(sent)

    def _forget(self, sent: int) -> None:
        """Drop the first *sent* bytes of what is unsent."""
        done = 0
        for part in self._unsent:
            if sent < len(part):
                break
            sent -= len(part)
            done += 1
        del self._unsent[:done]
        if sent:
            self._unsent[0] = memoryview(self._unsent[0])[sent:]

    async def _drain(self) -> None:
        try:
            while self._unsent_bytes:
                await self.transport.wait_writable()
                self._send_some()
        except (Disconnected, trio.ClosedResourceError):
            self.close()
        self._draining = False
        if self._recorded:
            self._note_sent()
        if not self._closed and self.in_progress is None:
            self._wake()
