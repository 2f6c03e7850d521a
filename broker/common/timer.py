"""The timers of the broker, whose tick is shorter than Kafka's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from purgatories.on_error import OnError, log_error
from purgatories.timer.system_timer import SystemTimer

# Kafka's tick is 1 ms, and it truncates expirations to ticks. Here they are rounded up, so that
# none is early; with 1 ms the median long poll would end 1 ms late, since a client that polls again
# at once is in phase with the ticks. Multiples of an eighth are exact in binary.
TICK_MS: Final = 0.125


def new_timer(name: str, now_ms: Callable[[], float], on_error: OnError = log_error) -> SystemTimer:
    """A timer with the broker's tick; the arguments are those of `SystemTimer`."""
    return SystemTimer(name, now_ms=now_ms, tick_ms=TICK_MS, on_error=on_error)
