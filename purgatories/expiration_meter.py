"""Counts expiries, in all and by tag: the ``ExpiresPerSec`` meters of a purgatory.

    operation.run --> on_expiration --> mark(tag) --> total 3, by tag {follower: 1, consumer: 2}

A rate is the difference of two readings over the time between them; who reads knows that time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from threading import Lock


class ExpirationMeter:
    """Only operations that ran out of time are marked, never those an event completed."""

    __slots__ = ("_by_tag", "_lock", "total")

    def __init__(self) -> None:
        self.total = 0
        self._by_tag: Counter[Hashable] = Counter()
        self._lock = Lock()

    def mark(self, tag: Hashable | None = None, count: int = 1) -> None:
        """Count *count* expiries, and the same under *tag* if it has one."""
        with self._lock:
            self.total += count
            if tag is not None:
                self._by_tag[tag] += count

    def forget(self, tag: Hashable) -> None:
        """Drop a tag's own count, not its part of the total (KAFKA-20204: a partition left)."""
        with self._lock:
            self._by_tag.pop(tag, None)

    def by_tag(self) -> dict[Hashable, int]:
        """The counts by tag."""
        with self._lock:
            return dict(self._by_tag)
