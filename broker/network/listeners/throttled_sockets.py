"""Accepted connections of addresses that exceed their quota (Kafka's ``DelayedCloseSocket``).

Each is closed after its throttle time, and is neither read nor written until then, which delays a
client that connects repeatedly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from broker.quotas.throttled_channel import ThrottledChannel
from purgatories.timer.system_timer import SystemTimer


class Accepted(Protocol):
    """A socket or a transport."""

    def close(self) -> None:
        """Close it."""
        ...


class ThrottledSockets:
    """Closes connections later; *on_closed* is called for each."""

    def __init__(self, timer: SystemTimer, on_closed: Callable[[], object]) -> None:
        self._timer = timer
        self._on_closed = on_closed
        self._waiting: dict[Accepted, ThrottledChannel] = {}

    def add(self, connected: Accepted, throttle_ms: int) -> None:
        """Close a connection after that time."""
        close = partial(self._close, connected)
        self._waiting[connected] = ThrottledChannel(self._timer, throttle_ms, close)

    def close(self) -> None:
        """Close all of them now."""
        for connected, waits in list(self._waiting.items()):
            waits.cancel()
            self._close(connected)

    def _close(self, connected: Accepted) -> None:
        del self._waiting[connected]
        connected.close()
        self._on_closed()
