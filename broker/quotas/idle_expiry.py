"""Closes idle connections (Kafka's ``Selector.IdleExpiryManager``).

Each connection has one timer task. Traffic does not move the task, which would cost time with each
request: when the task expires, it checks the time of the last traffic and, if necessary, starts
again with the remaining time.
"""

from __future__ import annotations

from typing import Protocol

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class Channel(Protocol):
    """The part of a connection that idle expiry uses."""

    # The time of the last traffic.
    active_ms: float

    @property
    def is_busy(self) -> bool:
        """Whether the broker is processing a request of the client."""
        ...

    def expire(self) -> None:
        """Close the connection."""
        ...


class IdleExpiry(TimerTask):
    """Expires *channel* after it has been idle for ``idle_ms``.

    While a request is delayed the connection is not idle. (Kafka closes such connections as well,
    and the client gets no response.)
    """

    __slots__ = ("_channel", "_idle_ms", "_timer")

    def __init__(self, timer: SystemTimer, channel: Channel, idle_ms: int) -> None:
        super().__init__(idle_ms)
        self._timer = timer
        self._channel = channel
        self._idle_ms = idle_ms
        timer.add(self)

    def run(self) -> None:
        """Close the connection, or start again with the remaining time."""
        now_ms, channel = self._timer.now_ms(), self._channel
        if channel.is_busy:
            channel.active_ms = now_ms
        left_ms = channel.active_ms + self._idle_ms - now_ms
        if left_ms <= 0:
            channel.expire()
        else:
            self.delay_ms = left_ms
            self._timer.add(self)
