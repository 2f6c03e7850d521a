"""Counts expiries, in total and by tag: the ``ExpiresPerSec`` meters of a purgatory.

    operation.run --> on_expiration --> mark(tag) --> total 3, by tag {follower: 1, consumer: 2}
A reader computes a rate from two readings and the time between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from threading import Lock


class ExpirationMeter:
    """Counts only operations that timed out, not those that an event completed."""

    __slots__ = ("_by_tag", "_lock", "total")

    def __init__(self) -> None:
        self.total = 0
        self._by_tag: Counter[Hashable] = Counter()
        self._lock = Lock()

    def mark(self, tag: Hashable | None = None, count: int = 1) -> None:
        """Add *count* to the total, and to the count of *tag* unless that is None."""
        with self._lock:
            self.total += count
            if tag is not None:
                self._by_tag[tag] += count

    def forget(self, tag: Hashable) -> None:
        """Remove the count of *tag*; the total stays (KAFKA-20204: the partition was removed)."""
        with self._lock:
            self._by_tag.pop(tag, None)

    def by_tag(self) -> dict[Hashable, int]:
        """Return a copy of the counts by tag."""
        with self._lock:
            return dict(self._by_tag)
