"""The offsets within a share partition's window that it has not fetched since its state was read.

The stored state lacks what was acquired and never changed. Such offsets are fetched again as if
they were new. Kafka's ``GapWindow`` is the span of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable


class Gaps:
    """Ranges of offsets, in order, that do not overlap."""

    __slots__ = ("ranges",)

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self.ranges = list(ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    @property
    def first(self) -> int:
        """The first offset of the first gap."""
        return self.ranges[0][0]

    def first_within(self, first: int, last: int) -> int | None:
        """The first offset of a gap from *first* to *last*; None if there is none."""
        for begin, end in self.ranges:
            if end >= first:
                return max(begin, first) if begin <= last else None
        return None

    def close(self, first: int, last: int) -> None:
        """Remove the offsets from *first* to *last*: they have been fetched, or have no records."""
        remaining = []
        for begin, end in self.ranges:
            if begin < first:
                remaining.append((begin, min(end, first - 1)))
            if end > last:
                remaining.append((max(begin, last + 1), end))
        self.ranges = remaining
