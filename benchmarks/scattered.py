"""A pass over objects of Python that are scattered in memory, at once or after a pause.

After a pause the caches of a processor that other programs or machines share have other memory, and
so has its translation of addresses. A wake-up after a pause pays that for all that it touches.
"""

from __future__ import annotations

import random
import time

from benchmarks.benchmark import percentile

OBJECTS = 400_000
TOUCHED = 2000


class _Item:
    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class Scattered:
    """2,000 objects among 400,000."""

    def __init__(self) -> None:
        self._all = [_Item(number) for number in range(OBJECTS)]
        self._touched = random.Random(1).sample(self._all, TOUCHED)

    def pass_us(self, count: int, pause_s: float) -> float:
        """The median of *count* passes, in microseconds; the processor sleeps before each."""
        micros = []
        for _ in range(count):
            if pause_s:
                time.sleep(pause_s)
            started = time.perf_counter()
            total = 0
            for each in self._touched:
                total += each.value
            micros.append((time.perf_counter() - started) * 1e6)
        return percentile(micros, 50)
