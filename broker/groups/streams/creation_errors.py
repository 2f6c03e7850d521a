"""Why internal topics could not be created, for some time (Kafka's ``ExpiringErrorCache``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_SIZE_MAX: Final = 1000


class CreationErrors:
    """Error messages by topic; *now_ms* is the monotonic clock.

    At most 1000 topics have one: those that expire first are dropped.
    """

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        # By topic: the message, and the time at which it expires.
        self._errors: dict[str, tuple[str, float]] = {}

    def put(self, topic: str, message: str, ttl_ms: int) -> None:
        """Keep the message of a topic for *ttl_ms*."""
        now_ms, errors = self._now_ms(), self._errors
        errors.pop(topic, None)
        errors[topic] = message, now_ms + ttl_ms
        for each in sorted(errors, key=self._expires_ms):
            if self._expires_ms(each) > now_ms and len(errors) <= _SIZE_MAX:
                break
            del errors[each]

    def _expires_ms(self, topic: str) -> float:
        return self._errors[topic][1]

    def get(self, topic: str) -> str | None:
        """The message of a topic; None if there is none, or it has expired."""
        message, expires_ms = self._errors.get(topic, (None, 0.0))
        return message if self._now_ms() < expires_ms else None
