"""What a benchmark is: named metrics, and a function that takes one sample from one system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.systems import System

Sample = Mapping[str, float]


@dataclass(frozen=True)
class Metric:
    """A figure, its unit, and whether more of it is better."""

    name: str
    unit: str
    better: Literal["lower", "higher"] = "lower"


@dataclass(frozen=True)
class Benchmark:
    """`measure(system, scale)` leaves out the metrics the system cannot have.

    `scale` is 1 for a full round, less for a quick one or one that is thrown away. `nodes` is how
    many brokers the system has; benchmarks of as many share their servers. With 0 there is none.
    """

    name: str
    metrics: tuple[Metric, ...]
    measure: Callable[[System, float], Sample]
    nodes: int = 1


def percentile(values: list[float], percent: float) -> float:
    """The value that this share of the values does not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * percent / 100))]
