"""One connection that the serving task serves: its readiness, and what it waits for.

Poller --ready--> Channel --enqueue--> ServingTask --serve--> Channel --on_readable--> Served
                     ^                                                                   |
                     `---------------- interest, resume, drain, close -------------------'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from broker.network.polling.poller import Poller
from broker.network.serving.driver import Interest
from broker.network.serving.served import Served
from broker.network.transports.transport import Awaits, Transport, Watch

_READ: Final = Interest.READ
_READ_OR_RESUME: Final = Interest.READ_OR_RESUME
_MEMORY: Final = Interest.MEMORY
_TURN: Final = Interest.TURN
_CLOSED: Final = Interest.CLOSED
_BYTES: Final = Awaits.BYTES


# In place of a connection that has ended.
_ENDED: Final = Served()
_ENDED.is_closed = True


class Queue(Protocol):
    """The serving task, as its channels use it."""

    def enqueue(self, channel: Channel) -> None:
        """Serve the channel after those that are ready already."""
        ...

    def is_turn_over(self) -> bool:
        """See `Driver.is_turn_over`."""
        ...

    def defer_send(self, served: Served) -> bool:
        """See `Driver.defer_send`."""
        ...

    def send_deferred(self) -> None:
        """See `Driver.send_deferred`."""
        ...


class Group(Protocol):
    """The channels of a node, as each of them uses it."""

    def await_memory(self, channel: Channel) -> None:
        """Call `Channel.memory_freed` when the memory pool is no longer exhausted."""
        ...

    def ended(self, channel: Channel) -> None:
        """The connection is closed; called at least once."""
        ...


class Channel:
    """The `Driver` of ``served``, which is set once and released after its end.

    *on_end* is called with it after it has been closed. ``is_queued``: it is served soon.

    A transport that is ready while its connection does not read is muted, so that it reports
    nothing. Most are not, so the poller is not changed at the begin and end of each wait.
    """

    __slots__ = (
        "_awaits_room",
        "_in_callback",
        "_interest",
        "_is_draining",
        "_is_muted",
        "_is_readable",
        "_is_resumed",
        "_is_writable",
        "_queue",
        "_watch",
        "group",
        "is_queued",
        "on_end",
        "served",
        "transport",
    )

    def __init__(
        self,
        queue: Queue,
        group: Group,
        transport: Transport,
        on_end: Callable[[Any], object],
    ) -> None:
        self.served: Served
        self.group = group
        self.transport = transport
        self.on_end = on_end
        self.is_queued = False
        self._queue = queue
        self._watch: Watch | None = None
        self._interest = _READ
        self._in_callback = False
        self._is_readable = self._is_writable = self._is_resumed = False
        self._is_draining = False  # whether the connection waits for room
        self._awaits_room = False  # whether the transport does, before it can receive
        self._is_muted = False

    @property
    def has_begun(self) -> bool:
        """Whether it waits for the transport; `begin` is called first."""
        return self._watch is not None

    @property
    def is_opening(self) -> bool:
        """Whether the next receive may take a millisecond, for a step of a handshake."""
        return self._watch is not None and self.transport.is_opening

    # ------------------------------------------------------------------------ of the poller

    def ready(self, readable: bool, writable: bool) -> None:
        """See `Watched.ready`."""
        if readable:
            interest = self._interest
            if interest is _READ or interest is _READ_OR_RESUME:
                self._is_readable = True
            elif not self.is_queued and not self._is_muted:
                self._is_muted = True
                self._update()
        if writable:
            self._is_writable = True
        if (self._is_readable or self._is_writable) and not self.is_queued:
            self._queue.enqueue(self)

    def failed(self, error: Exception) -> None:
        """See `Watched.failed`."""
        self.served.break_down(error)

    # -------------------------------------------------------------------- of the connection

    def resume(self) -> None:
        """See `Driver.resume`."""
        interest = self._interest
        if self._in_callback or interest is _READ or interest is _CLOSED:
            return
        self._is_resumed = True
        if not self.is_queued:
            self._queue.enqueue(self)

    def drain(self) -> None:
        """See `Driver.drain`."""
        self._is_draining = True
        self._update()

    def is_turn_over(self) -> bool:
        """See `Driver.is_turn_over`."""
        return self._queue.is_turn_over()

    def defer_send(self) -> bool:
        """See `Driver.defer_send`."""
        return self._queue.defer_send(self.served)

    def send_deferred(self) -> None:
        """See `Driver.send_deferred`."""
        self._queue.send_deferred()

    def close(self) -> None:
        """See `Driver.close`."""
        self._interest = _CLOSED
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.end()
        if not self.is_queued:
            self._queue.enqueue(self)

    def release(self) -> None:
        """Drop the connection, which has ended and refers to this channel.

        Otherwise the memory of both would be kept until a complete garbage collection.
        """
        self.served = _ENDED

    # ------------------------------------------------------------------ of the serving task

    def begin(self, poller: Poller) -> bool:
        """Wait for the transport from now on; returns whether event methods are due."""
        try:
            self._watch = poller.watch(self)
        except OSError as bug:
            self.served.break_down(bug)
            return False
        if self._is_draining:
            self._update()
        return self._is_due

    def memory_freed(self) -> None:
        """Receive again, if that is what the connection waits for."""
        if self._interest is _MEMORY:
            self._is_readable = True
            if not self.is_queued:
                self._queue.enqueue(self)

    def serve(self) -> bool:
        """Call the event methods that are due; returns whether others are due after that."""
        if self._is_writable:
            self._is_writable = False
            self._on_room()
        served = self.served
        self._in_callback = True
        if self._is_resumed:
            self._is_resumed = False
            self._interest = interest = served.on_resume()
        elif self._is_readable:
            self._is_readable = False
            self._interest = interest = served.on_readable()
        else:
            interest = self._interest
        self._in_callback = False
        if interest is _READ or interest is _READ_OR_RESUME:
            if self._is_muted or self._awaits_room or self.transport.awaits is not _BYTES:
                self._await_transport()
        elif interest is _TURN:
            self._is_resumed = True
        elif interest is _MEMORY:
            self.group.await_memory(self)
        return self._is_due

    @property
    def _is_due(self) -> bool:
        """Whether an event method is to be called."""
        return self._is_resumed or self._is_readable or self._is_writable

    def _on_room(self) -> None:
        """Send more, or let the transport continue its handshake."""
        if not self._is_draining:
            self._is_readable = True
        elif not self.served.on_writable():
            self._is_draining = False
            self._update()

    def _await_transport(self) -> None:
        """Wait for what the transport needs to receive more."""
        awaits = self.transport.awaits
        if awaits is Awaits.NOTHING:
            self._is_readable = True
        self._awaits_room = awaits is Awaits.ROOM
        self._is_muted = False
        self._update()

    def _update(self) -> None:
        watch = self._watch
        if watch is None:
            return
        reads = not (self._is_muted or self._awaits_room)
        try:
            watch.update(reads, self._is_draining or self._awaits_room)
        except OSError as bug:
            self.served.break_down(bug)
