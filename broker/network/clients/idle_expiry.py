"""Closes idle connections (Kafka's ``Selector.IdleExpiryManager``).

Each connection has one timer task. Received bytes do not move the task, which would cost time for
each request. When the task is due it computes the time since then, and is added again for the rest.
"""

from __future__ import annotations

from typing import Protocol

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class Channel(Protocol):
    """A connection that may be idle."""

    # When bytes were received or sent last.
    active_ms: float

    def expire(self) -> None:
        """Close it."""
        ...


class IdleExpiry(TimerTask):
    """Expires *channel* when it has been idle for ``idle_ms``.

    That a request is in progress does not matter, as in Kafka: a request that waits for longer ends
    without a response, also if its client has gone and this has not been noticed.
    """

    __slots__ = ("_channel", "_idle_ms", "_timer")

    def __init__(self, timer: SystemTimer, channel: Channel, idle_ms: int) -> None:
        super().__init__(idle_ms)
        self._timer = timer
        self._channel = channel
        self._idle_ms = idle_ms
        timer.add(self)

    def run(self) -> None:
        """Expire the connection, or run again when it may be idle."""
        channel = self._channel
        left_ms = channel.active_ms + self._idle_ms - self._timer.now_ms()
        if left_ms <= 0:
            channel.expire()
        else:
            self.delay_ms = left_ms
            self._timer.add(self)
