"""Closes connections that nobody uses (Kafka's ``Selector.IdleExpiryManager``).

Each connection has one timer task. It is not moved when bytes come, for that would cost something
each time; when it is due it looks how long ago that was, and comes back for what is left.
"""

from __future__ import annotations

from typing import Protocol

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class Channel(Protocol):
    """A connection, as far as it can be idle."""

    # When bytes last came or went.
    active_ms: float

    @property
    def is_busy(self) -> bool:
        """Whether the client has to wait for us."""
        ...

    def expire(self) -> None:
        """Close it."""
        ...


class IdleExpiry(TimerTask):
    """Expires *channel* when it was idle for ``idle_ms``.

    The wait of a parked request is none of the client's, and counts as no time. (Kafka closes such
    connections, too, and the client never gets its answer.)
    """

    __slots__ = ("_channel", "_idle_ms", "_timer")

    def __init__(self, timer: SystemTimer, channel: Channel, idle_ms: int) -> None:
        super().__init__(idle_ms)
        self._timer = timer
        self._channel = channel
        self._idle_ms = idle_ms
        timer.add(self)

    def run(self) -> None:
        """Close the connection, or look again later."""
        now_ms, channel = self._timer.now_ms(), self._channel
        if channel.is_busy:
            channel.active_ms = now_ms
        left_ms = channel.active_ms + self._idle_ms - now_ms
        if left_ms <= 0:
            channel.expire()
        else:
            self.delay_ms = left_ms
            self._timer.add(self)
