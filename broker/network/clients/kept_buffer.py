"""Releases the large receive buffers of connections that are not used for a while.

A connection keeps the buffer of a large request for the next one. Without a time limit 1000 idle
connections would keep 2 GB.
"""

from __future__ import annotations

from typing import Final, Protocol

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

KEPT_MS: Final = 3000


class Receiver(Protocol):
    """A user of a buffer."""

    # When bytes were received last.
    received_ms: float

    def release_buffer(self) -> None:
        """Release the buffer, unless it is in use."""
        ...


class KeptBuffer(TimerTask):
    """Calls ``release_buffer`` once, when *receiver* has received nothing for `KEPT_MS`."""

    __slots__ = ("_receiver", "_timer")

    def __init__(self, timer: SystemTimer, receiver: Receiver) -> None:
        super().__init__(KEPT_MS)
        self._timer = timer
        self._receiver = receiver
        timer.add(self)

    def run(self) -> None:
        """Release the buffer, or run again when it may be unused."""
        left_ms = self._receiver.received_ms + KEPT_MS - self._timer.now_ms()
        if left_ms <= 0:
            self._receiver.release_buffer()
        else:
            self.delay_ms = left_ms
            self._timer.add(self)
