"""Distributes intervals to lanes: the intervals of a lane do not overlap.

The requests of a connection overlap if its client does not wait for responses, and those of a
purgatory usually do. The slices of a thread in a trace must not overlap, so each lane is a thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush


def lanes(intervals: Iterable[tuple[int, int]]) -> list[int]:
    """The lane of each interval, from 0: the lowest that is free when the interval begins.

    The intervals are in the order of their begins. The smallest possible number of lanes is used.
    """
    used: list[tuple[int, int]] = []  # the ends of the last intervals, and their lanes
    free: list[int] = []
    chosen = []
    count = 0
    for begin, end in intervals:
        while used and used[0][0] <= begin:
            heappush(free, heappop(used)[1])
        if free:
            lane = heappop(free)
        else:
            lane, count = count, count + 1
        heappush(used, (end, lane))
        chosen.append(lane)
    return chosen
