"""The non-empty buckets, ordered by expiration.

    offer(bucket) --> [ 40 | 400 | 43 | 8000 ... ]  a heap --> poll(): the earliest, if it has
                        ^ earliest_ms: how long one may sleep          expired

The timer advances from bucket to bucket: it skips empty ticks, and without buckets the reaper need
not wake up. There are few buckets (20 a level), so the heap stays small however many tasks wait.
The caller of each method holds the timer's lock.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf

from .timer_task_list import TimerTaskList


def _do_nothing() -> None:
    """Do nothing: the default ``on_earlier``."""


class DelayQueue:
    """Returns buckets whose expiration, in ticks, is at or before ``now_ms()``.

    ``on_earlier`` is called when `earliest_ms` decreases.
    """

    __slots__ = ("_heap", "_now_ms", "_order", "_tick_ms", "on_earlier")

    def __init__(self, now_ms: Callable[[], float], tick_ms: float) -> None:
        self._now_ms = now_ms
        self._tick_ms = tick_ms
        self._heap: list[tuple[int, int, TimerTaskList]] = []
        self._order = count()  # buckets of equal expiration leave in the order of arrival
        self.on_earlier: Callable[[], None] = _do_nothing

    def offer(self, bucket: TimerTaskList) -> None:
        """Add *bucket*, which must not be queued; its expiration must not change while it is."""
        heap = self._heap
        heappush(heap, (bucket.expiration_ticks, next(self._order), bucket))
        if heap[0][2] is bucket:
            self.on_earlier()

    def poll(self) -> TimerTaskList | None:
        """Remove and return the earliest bucket if it has expired, else None."""
        heap = self._heap
        if heap and heap[0][0] * self._tick_ms <= self._now_ms():
            return heappop(heap)[2]
        return None

    @property
    def earliest_ms(self) -> float:
        """The expiration of the earliest bucket, in ms; infinity if the queue is empty."""
        return self._heap[0][0] * self._tick_ms if self._heap else inf

    def __len__(self) -> int:
        return len(self._heap)
