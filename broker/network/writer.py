"""The sending side of a connection: responses in order, as much at once as the socket takes.

    IDLE --flush, the socket is full--> DRAINING --all is sent--> IDLE
      `------------------ close -----------`--------------------> CLOSED

While it is DRAINING, `flush` is to be called when the transport is writable.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from broker.network.transport import Transport
from broker.network.unsent import Unsent

OnSent = Callable[[], object]


class WriterState(Enum):
    """Whether responses wait for room in the socket."""

    IDLE = auto()
    DRAINING = auto()
    CLOSED = auto()


class Writer:
    """Sends to *transport* the responses that are added to ``unsent``."""

    __slots__ = ("_on_sent", "_transport", "state", "unsent")

    def __init__(self, transport: Transport) -> None:
        self.state = WriterState.IDLE
        self.unsent = Unsent()
        self._transport = transport
        self._on_sent: list[OnSent] = []

    def when_sent(self, on_sent: OnSent) -> None:
        """Call *on_sent* when all that is unsent now has been sent, or is dropped."""
        self._on_sent.append(on_sent)

    def flush(self) -> bool:
        """Send what the socket takes; returns whether the rest waits for room (DRAINING).

        Raises `Disconnected`, `SpliceLost`.
        """
        assert self.state is not WriterState.CLOSED
        unsent = self.unsent
        if unsent.size_bytes:
            unsent.send(self._transport)
            if unsent.size_bytes:
                self.state = WriterState.DRAINING
                return True
        self.state = WriterState.IDLE
        if self._on_sent:
            self._report_sent()
        return False

    def close(self) -> None:
        """Drop what is unsent."""
        self.state = WriterState.CLOSED
        self.unsent.clear()
        if self._on_sent:
            self._report_sent()

    def _report_sent(self) -> None:
        reports, self._on_sent = self._on_sent, []
        for report in reports:
            report()
