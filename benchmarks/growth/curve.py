"""A growth curve: costs at several sizes of one thing, measured on our broker.

Each figure is for one item: one parked request, one record, one produce. A flat line means that
doubling the size doubles its own cost, or leaves the cost of others alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.ready_partition import ready_partition
from benchmarks.round_trip import serial
from benchmarks.systems import System
from integration.wire.connection import Connection

PRODUCES = 400
PRODUCE_CPU = "a produce beside them, broker CPU"
PRODUCE_P50 = "a produce beside them, p50"
BESIDE = (PRODUCE_CPU, PRODUCE_P50)

# Yields each size with the microseconds of each line.
Measure = Callable[[System, Sequence[int]], Iterator[tuple[int, Mapping[str, float]]]]


@dataclass(frozen=True)
class Curve:
    """*lines* are costs in microseconds; *things* is the label of the sizes.

    It is measured on a server with so many *nodes*.
    """

    name: str
    things: str
    sizes: tuple[int, ...]
    lines: tuple[str, ...]
    measure: Measure
    nodes: int = 1

    def metric(self, line: str, size: int) -> Metric:
        """The metric of a point."""
        return Metric(f"{line}, {size:,} {self.things}", "us")

    def benchmark(self) -> Benchmark:
        """A benchmark with a metric for each point, on a server of its own."""
        metrics = tuple(self.metric(line, size) for line in self.lines for size in self.sizes)
        return Benchmark(self.name, metrics, self._sample, nodes=self.nodes)

    def _sample(self, system: System, scale: float) -> Sample:
        if system.name != "ours":
            return {}
        scaled = {max(2, int(size * scale)) + place: size for place, size in enumerate(self.sizes)}
        if scale == 1:
            scaled = {size: size for size in self.sizes}
        alone = replace(system, topics={})
        alone.server = system.start()
        try:
            return {
                self.metric(line, scaled[size]).name: value
                for size, values in self.measure(alone, list(scaled))
                for line, value in values.items()
            }
        finally:
            alone.server.process.kill()  # an orderly stop writes the logs of all partitions
            alone.server.close()


def beside(system: System) -> dict[str, float]:
    """The cost of small acks=all produces to a topic of their own, at the current size."""
    topic, _, leader = ready_partition(system)
    used = system.cpu_seconds()
    with Connection(leader) as connection:
        micros = serial(connection, topic, PRODUCES)
    each = (system.cpu_seconds() - used) * 1e6 / PRODUCES
    return {PRODUCE_CPU: each, PRODUCE_P50: percentile(micros, 50)}
