"""The sending side of a connection: at once what the socket takes, the rest as it drains.

Whoever completes a request sends its response, without a task switch. Only a full socket buffer
starts a task, which waits for room and ends when everything is sent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import trio

from broker.network.transport import Disconnected, Transport
from broker.network.unsent import Unsent
from protocol.output import SpliceLost

if TYPE_CHECKING:
    from broker.wait_records.record import WaitRecord
    from broker.wait_records.recorder import Recorder


log = logging.getLogger("antechamber.connection")


class Channel(Protocol):
    """A connection as its sender sees it."""

    transport: Transport
    # When bytes last came or went.
    active_ms: float

    def close(self) -> None:
        """End the connection: it cannot send."""
        ...

    def break_down(self, bug: Exception) -> None:
        """End the connection because of an exception that nothing here raises on purpose."""
        ...

    def drained(self) -> None:
        """Continue, as what did not fit into the socket is sent."""
        ...


class Sender:
    """Sends the responses of *channel* in order, which are added to ``unsent``.

    ``recorder`` is called when they are sent.
    """

    def __init__(
        self,
        channel: Channel,
        nursery: trio.Nursery,
        now_ms: Callable[[], float],
        recorder: Recorder | None,
    ) -> None:
        self.unsent = Unsent()
        self._channel = channel
        self._nursery = nursery
        self._now_ms = now_ms
        self._recorder = recorder
        self._recorded: list[WaitRecord] = []  # of the responses among what is unsent
        self._draining = False
        self._closed = False

    def note(self, record: WaitRecord) -> None:
        """Complete *record* when all that was added so far is sent."""
        self._recorded.append(record)

    def flush(self) -> None:
        """Send what can be sent without waiting; leave the rest to a task of its own."""
        if self._draining or self._closed:
            return
        unsent = self.unsent
        if unsent.size_bytes:
            try:
                unsent.send(self._channel.transport)
            except (Disconnected, SpliceLost) as reason:
                self._end(reason)
                return
            except Exception as bug:
                self._channel.break_down(bug)
                return
        if unsent.size_bytes:
            self._draining = True
            self._nursery.start_soon(self._drain)
        elif self._recorded:
            self._note_sent()

    def close(self) -> None:
        """Drop what is unsent; the records of those responses are complete all the same."""
        self._closed = True
        self.unsent.clear()
        if self._recorded:
            self._note_sent()

    async def _drain(self) -> None:
        channel, unsent = self._channel, self.unsent
        try:
            while unsent.size_bytes:
                await channel.transport.wait_writable()
                unsent.send(channel.transport)
                channel.active_ms = self._now_ms()
            self._draining = False
            if self._recorded:
                self._note_sent()
            if not self._closed:
                channel.drained()
        except (Disconnected, SpliceLost) as reason:
            self._end(reason)
        except Exception as bug:
            channel.break_down(bug)

    def _end(self, reason: Disconnected | SpliceLost) -> None:
        """Close the connection, which cannot send what it has begun."""
        if isinstance(reason, SpliceLost):
            log.warning("closing connection from %s: %s", self._channel.transport.peer, reason)
        self._channel.close()

    def _note_sent(self) -> None:
        assert self._recorder is not None
        recorded, self._recorded = self._recorded, []
        self._recorder.sent(recorded)
