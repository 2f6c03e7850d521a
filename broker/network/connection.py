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
how it learns that the client has gone away, and then the parked operation is abandoned. So it does
while the client is throttled: the answer has gone out and says for how long, and frames that come
meanwhile stay in the inbox (KIP-219).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

import trio

from broker.api.response_frame import error_frame, response_frame
from broker.common.errors import Refused
from broker.network.arrivals import Arrivals
from broker.network.sender import Sender
from broker.network.transport import Disconnected, Transport
from broker.quotas.idle_expiry import IdleExpiry
from broker.quotas.memory_pool import MemoryPool
from broker.quotas.throttled_channel import ThrottledChannel
from broker.steps.limits import SLICE_MS
from broker.wait_records.causes import CauseKind
from protocol.codec import Malformed, Output
from protocol.errors import ErrorCode
from protocol.framing import LENGTH_BYTES, Inbox, Scratch
from purgatories.timer.system_timer import SystemTimer

if TYPE_CHECKING:
    from broker.api.request import Request
    from broker.wait_records.recorder import Recorder

log = logging.getLogger("antechamber.connection")

# Kafka mutes the channel and leaves such bytes in the socket; we keep this much to notice an end.
PIPELINE_BYTES_MAX = 1 << 20
# Answers to pipelined requests are sent together, up to about this much at once.
_SEND_TOGETHER_BYTES = 1 << 18

# Connections are told apart by numbers, in wait records and on the admin interface.
_ids = count(1)

Dispatch = Callable[["Connection", memoryview, float], None]
OnBug = Callable[[str, Exception], None]


class Connection:
    """One client's connection.

    ``dispatch`` starts a request from a frame, given when that had been read; all connections of
    the thread receive into ``scratch``. A client of which nothing was heard for ``idle_ms`` is sent
    away by *timer*, unless that is negative; ``memory`` bounds what all connections hold.

    An exception while the connection reads or writes is a bug. The connection closes and hands it
    to ``on_bug``, which returns to confine it to this connection, or raises it.
    """

    def __init__(
        self,
        transport: Transport,
        dispatch: Dispatch,
        nursery: trio.Nursery,
        *,
        request_bytes_max: int,
        scratch: Scratch,
        timer: SystemTimer,
        idle_ms: int,
        memory: MemoryPool | None = None,
        recorder: Recorder | None = None,
        on_bug: OnBug | None = None,
    ) -> None:
        self.id = next(_ids)
        self._arrivals = Arrivals()
        self._timer = timer
        self._now_ms = timer.now_ms
        self._recorder = recorder
        self.transport = transport
        self._dispatch = dispatch
        self._inbox = Inbox(request_bytes_max, scratch)
        self.on_bug = on_bug or _raise
        self.in_progress: Request[Any] | None = None
        self._serving = False
        self._closed = False
        self._sender = Sender(self, nursery, timer.now_ms, recorder)
        # Invariant: while anything is unsent, no further frame is dispatched.
        self._unsent = self._sender.unsent
        self._wakeup: trio.CancelScope | None = None
        self._memory = memory
        self._reserved_bytes = 0  # of that
        self._kept_bytes = 0  # of the request in progress, while a worker thread reads it
        self._throttled: ThrottledChannel | None = None
        self.active_ms = self._now_ms()
        self.free_ms = self.active_ms  # when it could begin the next request; for wait records
        self._idle = None if idle_ms < 0 else IdleExpiry(timer, self, idle_ms)

    async def run(self) -> None:
        """Serve the connection until either side ends it."""
        end = CauseKind.SHUTDOWN  # if this task is cancelled
        try:
            try:
                end = await self._serve()
            except Exception:
                end = CauseKind.ERROR
                raise
            finally:
                self.close(end)
        except Exception as bug:
            self.on_bug(self.transport.peer, bug)

    async def _serve(self) -> CauseKind:
        """Serve until the connection has ended, and return why."""
        try:
            while await self._receive():
                while not self._serve_frames():
                    await trio.lowlevel.checkpoint()
                    self.free_ms = self._now_ms()
        except (Malformed, Refused) as reason:
            self.refuse(reason)
        except Disconnected:
            pass
        return CauseKind.DISCONNECT

    def close(self, end: CauseKind = CauseKind.DISCONNECT) -> None:
        """End the connection at once; a parked request is abandoned, and its record says why."""
        if self._closed:
            return
        self._closed = True
        self.transport.close()
        self._let_go()
        request, self.in_progress = self.in_progress, None
        if request is None:
            return
        abandon, request.on_disconnect = request.on_disconnect, None
        if abandon is not None:
            abandon()
        if request.observer is not None:
            assert self._recorder is not None
            self._recorder.abandoned(request, end)

    @property
    def is_busy(self) -> bool:
        """Whether the client waits for us: for a response, or for leave to go on."""
        return self.in_progress is not None or self._throttled is not None

    @property
    def held_bytes(self) -> int:
        """The memory of requests received in part, and of responses not sent."""
        return self._kept_bytes + self._inbox.buffer_bytes + self._unsent.held_bytes

    def expire(self) -> None:
        """End the connection since nobody uses it."""
        log.info("closing connection from %s: it is idle", self.transport.peer)
        self.close()

    def begin(self, request: Request[Any]) -> None:
        """Make *request* the one in progress; called by dispatch."""
        assert self.in_progress is None
        self.in_progress = request

    def complete(self, request: Request[Any], response: object | None) -> None:
        """Send the response to the request in progress (None: it has none) and go on."""
        request.services.state_changes.notify()
        if self._closed:
            return
        assert self.in_progress is request, "a request has exactly one response"
        if response is None:
            self._send(request, None, None)
        elif frame := response_frame(request, response):
            self._send(request, *frame)
        else:
            self.refuse(Refused("neither the response nor an error response can be encoded"))

    def fail(self, request: Request[Any], code: ErrorCode, message: str | None = None) -> None:
        """Send the API's error response to *request*, and abandon what it waits for.

        Closes the connection where Kafka has no response (acks=0), or if it cannot be encoded. Does
        nothing if the request has been responded to.
        """
        if self._closed or self.in_progress is not request:
            return
        request.services.state_changes.notify()
        abandon, request.on_disconnect = request.on_disconnect, None
        if abandon is not None:
            abandon()
        request.job = None
        throttle_ms = 0 if self._throttled is None else int(self._throttled.delay_ms)
        if frame := error_frame(request, code, message, throttle_ms):
            self._send(request, *frame)
        else:
            self.refuse(Refused(f"a request failed with {code.name} and has no error response"))

    def _send(self, request: Request[Any], response: object | None, out: Output | None) -> None:
        """Queue the response of the request in progress; go on with the requests behind it."""
        self.in_progress = None
        if self._kept_bytes:
            self._kept_bytes = 0
            self._hold_memory()
        if request.observer is not None:
            self._note(request, response)
        # Breaks a cycle: a parked operation holds its request.
        request.on_disconnect = request.wait = None
        if out is not None:
            self._unsent.add(out, 0)
        if not self._serving:
            self._sender.flush()
            if not self._unsent.size_bytes and self._inbox.has_frame():
                self.wake()

    def _note(self, request: Request[Any], response: object | None) -> None:
        """Complete the wait record, which must not keep the response back."""
        assert self._recorder is not None
        try:
            record = self._recorder.completed(request, response)
        except Exception as error:
            request.services.unexpected_errors.elsewhere("recording a request", error)
        else:
            self._sender.note(record)
            self.free_ms = record.completed_ms

    def refuse(self, reason: Malformed | Refused) -> None:
        """End the connection because of what the client has sent."""
        log.warning("closing connection from %s: %s", self.transport.peer, reason)
        self.close(CauseKind.ERROR)

    def keep_frame(self, request: Request[Any]) -> bool:
        """Keep the memory of the request's bytes; False if they are in the shared buffer."""
        self._kept_bytes = request.size_bytes
        return self._inbox.hand_over()

    def mute(self, throttle_ms: int) -> None:
        """Begin no request for that time; the response to the present one still goes out."""
        if not self._closed:
            self._throttled = ThrottledChannel(self._timer, throttle_ms, self._unmute)

    def _unmute(self) -> None:
        self._throttled = None
        if self.in_progress is None and not self._unsent.size_bytes:
            self.wake()

    # ------------------------------------------------------------------------------ reading

    async def _receive(self) -> bool:
        """Wait for bytes, or for the moment when frames that wait may go on; False at the end."""
        while not self._closed:
            is_free = self._may_serve  # and stays so while nothing is dispatched
            if is_free:
                await self.transport.wait_readable()
            elif not await self._wait_while_busy():
                self.free_ms = self._now_ms()
                return not self._closed
            if self._memory is not None:
                await self._wait_for_memory(self._memory)
            if self._closed:
                return False
            try:
                count = self.transport.receive_into(self._inbox.space())
            except BlockingIOError:
                continue
            if count == 0:
                return await self._has_more_to_do()
            self._inbox.received(count)
            self.active_ms = now_ms = self._now_ms()
            self._arrivals.received(count, now_ms)
            if is_free or self._may_serve:
                return True
            self._settle()
        return False

    @property
    def _may_serve(self) -> bool:
        """Whether the next frame may be dispatched."""
        return self.in_progress is None and not self._unsent.size_bytes and self._throttled is None

    async def _wait_while_busy(self) -> bool:
        """Wait until there are bytes (True), or until the request in progress is done (False).

        Its end wakes the task only if frames wait. During a computation nothing is read.
        """
        computing = self.in_progress is not None and self.in_progress.is_computed
        full = computing or self._inbox.pending_bytes >= PIPELINE_BYTES_MAX
        if not full and not self._inbox.has_frame():
            await self.transport.wait_readable()
            return True
        with trio.CancelScope() as self._wakeup:
            if full:
                await trio.sleep_forever()
            await self.transport.wait_readable()
        woken, self._wakeup = self._wakeup.cancelled_caught, None
        return not woken

    async def _wait_for_memory(self, memory: MemoryPool) -> None:
        """Who has begun a request may go on; others wait until there is memory to begin one."""
        while memory.is_exhausted and not self._reserved_bytes and not self._closed:
            with trio.CancelScope() as self._wakeup:
                await memory.freed()
            self._wakeup = None

    def _settle(self) -> None:
        self._inbox.settle()
        if self._memory is not None:
            self._hold_memory()

    def _hold_memory(self) -> None:
        if self._memory is not None and not self._closed:
            wanted_bytes = self._inbox.awaited_bytes + self._kept_bytes
            self._reserved_bytes = self._memory.exchange(self._reserved_bytes, wanted_bytes)

    def _let_go(self) -> None:
        """Give back what others can use."""
        self._sender.close()
        self._inbox.clear()
        self._kept_bytes = 0
        if self._idle is not None:
            self._idle.cancel()
        if self._throttled is not None:
            self._throttled.cancel()
        if self._memory is not None:
            self._reserved_bytes = self._memory.exchange(self._reserved_bytes, 0)
        self.wake()

    def wake(self) -> None:
        """End the wait for the request in progress: it is done, or no longer computed."""
        if self._wakeup is not None:
            self._wakeup.cancel()

    async def _has_more_to_do(self) -> bool:
        """Wait until a client that sends no more has its responses; False if that is all.

        It may have closed its sending side only, and still read. A request that waits for something
        is abandoned, and what comes after a throttled one.
        """
        while self._unsent.size_bytes and not self._closed:
            with trio.CancelScope() as self._wakeup:
                await trio.sleep_forever()
            self._wakeup = None
        return not self._closed and self._may_serve and self._inbox.has_frame()

    def _serve_frames(self) -> bool:
        """Dispatch the frames that are there; False if others are to have their turn in between.

        The shared buffer is left to them in either case.
        """
        self._serving = True
        unsent, inbox = self._unsent, self._inbox
        ends_ms = max(self.active_ms, self.free_ms) + SLICE_MS
        is_through = True
        while (
            self.in_progress is None
            and unsent.size_bytes < _SEND_TOGETHER_BYTES
            and self._throttled is None
            and not self._closed
        ):
            frame = inbox.next_frame()
            if frame is None:
                break
            self._dispatch(self, frame, self._arrivals.frame(len(frame) + LENGTH_BYTES))
            if unsent.size_bytes >= _SEND_TOGETHER_BYTES:
                self._sender.flush()
            if not inbox.pending_bytes:
                break
            if self._now_ms() >= ends_ms:
                is_through = False
                break
        self._serving = False
        self._settle()
        self._sender.flush()
        return is_through

    # ------------------------------------------------------------------------------ sending

    def drained(self) -> None:
        """See `Channel.drained`."""
        if self.in_progress is None:
            self.wake()

    def break_down(self, bug: Exception) -> None:
        """End this connection, and nothing else if *bug* is confined to it."""
        self.close(CauseKind.ERROR)
        self.on_bug(self.transport.peer, bug)


def _raise(_peer: str, bug: Exception) -> None:
    raise bug
