"""The buckets that hold something, earliest first: what the timer sleeps on.

    offer(bucket) --> [ 40 | 400 | 43 | 8000 ... ]  a heap --> poll(): the earliest, once its time
                        ^ earliest_ms: how long one may sleep          has come

Time moves only from bucket to bucket: empty ticks are never stepped through, and without buckets
nobody needs to wake up. Few buckets exist (20 a level), so the heap stays small however many tasks
wait. Everything here is called by who holds the timer's lock.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf

from .timer_task_list import TimerTaskList


def _nobody() -> None:
    """Stand in for whoever does not sleep."""


class DelayQueue:
    """Hands out buckets whose expiration is not after ``now_ms()``, and no others.

    ``on_earlier`` is called when there is reason to wake up before ``earliest_ms`` as it was.
    """

    __slots__ = ("_heap", "_now_ms", "_order", "on_earlier")

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._heap: list[tuple[int, int, TimerTaskList]] = []
        self._order = count()  # buckets of equal expiration leave as they came
        self.on_earlier: Callable[[], None] = _nobody

    def offer(self, bucket: TimerTaskList) -> None:
        """Queue *bucket*, which is not queued: its expiration must not change until it is out."""
        heap = self._heap
        heappush(heap, (bucket.expiration_ms, next(self._order), bucket))
        if heap[0][2] is bucket:
            self.on_earlier()

    def poll(self) -> TimerTaskList | None:
        """Take out the earliest bucket if its time has come."""
        heap = self._heap
        if heap and heap[0][0] <= self._now_ms():
            return heappop(heap)[2]
        return None

    @property
    def earliest_ms(self) -> float:
        """When there is something to poll; infinity if nothing is queued."""
        return self._heap[0][0] if self._heap else inf

    def __len__(self) -> int:
        return len(self._heap)
