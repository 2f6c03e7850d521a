"""A benchmark: named metrics, and a function that takes one sample from one system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.systems import System

Sample = Mapping[str, float]


@dataclass(frozen=True)
class Metric:
    """A figure, its unit, and the direction in which it improves."""

    name: str
    unit: str
    better: Literal["lower", "higher"] = "lower"


@dataclass(frozen=True)
class Benchmark:
    """`measure(system, scale)` leaves out the metrics that the system does not support.

    `scale` is 1 for a full round, less for a quick or a discarded one. `nodes` is the number of
    brokers of the system; benchmarks with the same number share their servers. 0 means no server.
    With `tls`, librdkafka connects to a listener with TLS. With `own_servers`, the servers are
    started for this benchmark only, because it leaves behind what would disturb others. A `heavy`
    one is measured at most twice, without a discarded round. Without `warms_up`, no system
    has rounds to warm up for it, because it starts servers of its own in each round. `written_mb`
    is what the system writes to files in a full round (`benchmarks.warm_pages`); 0: little, or it
    is not the subject.
    """

    name: str
    metrics: tuple[Metric, ...]
    measure: Callable[[System, float], Sample]
    nodes: int = 1
    tls: bool = False
    own_servers: bool = False
    heavy: bool = False
    warms_up: bool = True
    written_mb: int = 0


def percentile(values: list[float], percent: float) -> float:
    """The value that this share of the values does not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * percent / 100))]
