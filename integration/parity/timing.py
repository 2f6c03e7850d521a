"""Classifies the time of a response: at once, woken by the last event, or at its timeout.

Scenarios choose waits so that the classes differ by seconds, because on a busy machine any step may
take a second longer.
"""

from __future__ import annotations

import threading
import time
from typing import Any

# Kafka counts whole milliseconds at both ends of a wait, so it may seem up to two too short.
EARLY_MS = 2.5
AT_ONCE_MS = 2000
_LONG_MS = 1000  # a shorter timeout of a request is no wait
WOKEN_WITHIN_MS = 4000  # a stopped JVM needs some time to continue
LATE_MS = 5000
SETTLE_S = 0.25


class Events:
    """The times of a scenario's actions, any of which may complete a request."""

    def __init__(self) -> None:
        self._times: list[float] = []

    def happens(self) -> None:
        """Note an action at the present time."""
        self._times.append(time.monotonic())

    def last_within(self, start: float, end: float) -> float | None:
        """Return the last action after *start* and not after *end*."""
        return max((each for each in self._times if start < each <= end), default=None)


class Wait:
    """The duration of a request's wait, and its class."""

    def __init__(self, request: Any, events: Events) -> None:
        self._events = events
        self._patience_ms = _patience_ms(request)
        self._over = threading.Event()
        self._seen = False
        self._begin = time.monotonic()
        self._end = 0.0

    def end(self) -> None:
        """Note the arrival of the response."""
        self._end = time.monotonic()
        self._over.set()

    def is_over(self, within_s: float) -> bool:
        """Wait for the response for some time."""
        return self._over.wait(within_s)

    def is_pending(self) -> bool:
        """Whether no response arrives for a short time, so only an event or timeout ends it."""
        self._seen = not self.is_over(SETTLE_S)
        return self._seen

    @property
    def took_ms(self) -> float:
        """The time from sending to the response."""
        return (self._end - self._begin) * 1000

    def how_it_ended(self) -> str:
        """The class of the wait."""
        patience_ms = self._patience_ms
        if patience_ms is not None and self.took_ms >= patience_ms - EARLY_MS:
            late = self.took_ms > patience_ms + LATE_MS
            return "long after its timeout" if late else "at its timeout"
        if self._seen:
            cause = self._events.last_within(self._begin, self._end)
            prompt = cause is not None and (self._end - cause) * 1000 <= WOKEN_WITHIN_MS
            return "woken" if prompt else "woken later"
        return (
            "at once"
            if self.took_ms <= max(AT_ONCE_MS, (patience_ms or 0) / 10)
            else "after a while"
        )

    def reached(self, *marks_ms: int) -> str:
        """The last of some times, in ascending order, that it had exceeded when it ended."""
        reached = [mark for mark in marks_ms if self.took_ms >= mark - EARLY_MS]
        return f"after {reached[-1]} ms" if reached else f"before {marks_ms[0]} ms"


def _patience_ms(request: Any) -> int | None:
    """The timeout in the request itself; None if it is very short or missing."""
    for name in ("max_wait_ms", "timeout_ms"):
        value: int = getattr(request, name, 0)
        if value > _LONG_MS:
            return value
    return None
