"""Marks: the numbers of requests at some time, from which later requests are counted."""

from __future__ import annotations

from collections import Counter
from itertools import count

from broker.api.request_counts import Counted, RequestCounts

# The latest marks are kept.
MARKS_MAX = 256


class Marks:
    """The marks of a cluster, whose requests *counts* counts."""

    def __init__(self, counts: RequestCounts) -> None:
        self._counts = counts
        self._ids = count(1)
        self._marks: dict[str, Counter[Counted]] = {}

    def add(self) -> str:
        """Make a mark of the present counts; the oldest mark is forgotten if there are too many."""
        if len(self._marks) >= MARKS_MAX:
            del self._marks[next(iter(self._marks))]
        mark = f"mark-{next(self._ids)}"
        self._marks[mark] = self._counts.snapshot()
        return mark

    def since(self, mark: str | None) -> Counter[Counted] | None:
        """The requests since *mark*, or all of them; None if the mark is not known."""
        if mark is None:
            return self._counts.snapshot()
        before = self._marks.get(mark)
        return None if before is None else self._counts.snapshot() - before
