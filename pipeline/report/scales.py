"""Axes: where values are between the two ends of an axis, and which of them have labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pipeline.report.words import clock, span

Tick = tuple[float, str]  # a position from 0 to 1, and a label


@dataclass(frozen=True)
class LogScale:
    """A logarithmic axis of times in µs."""

    first: float
    last: float

    def at(self, us: float) -> float:
        """The position of a value, from 0 to 1; values outside are at the ends."""
        inside = min(max(us, self.first), self.last)
        return math.log(inside / self.first) / math.log(self.last / self.first)

    def ticks(self) -> list[Tick]:
        """A label at each power of ten."""
        powers = range(math.ceil(math.log10(self.first)), math.floor(math.log10(self.last)) + 1)
        return [(self.at(10.0**power), span(10.0**power)) for power in powers]


def linear_ticks(last: float) -> list[Tick]:
    """Labels at three to five round values from 0 to *last*."""
    step = 10.0 ** math.floor(math.log10(last)) if last > 0 else 1.0
    step = next(s for s in (step / 5, step / 2, step, step * 2) if last / s <= 5)
    count = math.floor(last / step) if last > 0 else 0
    return [(i * step / last, f"{i * step:,.3g}") for i in range(count + 1)] or [(0, "0")]


def time_ticks(bins: Sequence[datetime], count: int = 5) -> list[Tick]:
    """Labels at the beginnings of some bins."""
    step = max(1, math.ceil(len(bins) / count))
    return [(i / len(bins), clock(bins[i])) for i in range(0, len(bins), step)]
