"""What wait records cost: the same requests to a broker that records and to one that does not.

All run at the same time and are asked in turn, in short stretches, so that whatever else the
machine does hits all; a figure is the median of the ratios to the broker that does not record.
Processor time is the kernel's, in nanoseconds, with what the outbox does afterwards. "Off again" is
a second broker that does not record either: what it differs by from 100 is noise, and no figure
means more than that. Small serial requests are the worst case. Ours alone has records.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.systems import System
from integration.antechamber_process import Antechamber
from integration.scheduling import on_cpu_ns
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce

STRETCHES = 40
SMALL_REQUESTS = 250  # a stretch
LARGE_REQUESTS = 25
TOPIC = "recorded"
COMPARED = ("off again", "in memory", "to a file")
SETTLED_SECONDS = 0.15  # by then the outbox has sent what a stretch put into it


def measure(system: System, scale: float) -> Sample:
    """In memory alone, and to a file as well; small requests and large ones."""
    if system.name != "ours":
        return {}
    stretches = max(4, int(STRETCHES * scale))
    small = produce(TOPIC, 0, batch([bytes(100)]))
    large = produce(TOPIC, 0, batch([bytes(1000)] * 1000))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        options = {
            "off": (),
            "off again": (),
            "in memory": ("--record",),
            "to a file": ("--records", str(folder / "records")),
        }
        brokers = {
            name: stack.enter_context(Antechamber("--topic", TOPIC, *given))
            for name, given in options.items()
        }
        sample = {}
        for label, frame, count in (
            ("100 B requests", small, SMALL_REQUESTS),
            ("1 MB requests", large, LARGE_REQUESTS),
        ):
            rates, cpu = _in_turn(brokers, frame, count, stretches)
            for name in COMPARED:
                key = f"recording {name}, {label}"
                sample[key] = _ratio(rates[name], rates["off"])
                sample[f"{key}, CPU"] = _ratio(cpu[name], cpu["off"])
        return sample


def _ratio(values: list[float], others: list[float]) -> float:
    pairs = zip(values, others, strict=True)
    return median(value / other for value, other in pairs) * 100


def _in_turn(
    brokers: dict[str, Antechamber], frame: bytes, count: int, stretches: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Requests a second, and processor time of each broker, stretch by stretch."""
    rates: dict[str, list[float]] = {name: [] for name in brokers}
    cpu: dict[str, list[float]] = {name: [] for name in brokers}
    with ExitStack() as stack:
        connections = {
            name: stack.enter_context(Connection(broker.bootstrap))
            for name, broker in brokers.items()
        }
        for stretch in range(stretches + 1):
            for name, connection in connections.items():
                used = on_cpu_ns(brokers[name].pid)
                started = time.perf_counter()
                for _ in range(count):
                    connection.ask(frame)
                took = time.perf_counter() - started
                time.sleep(SETTLED_SECONDS)
                if stretch:  # the first warms up
                    rates[name].append(count / took)
                    cpu[name].append(on_cpu_ns(brokers[name].pid) - used)
    return rates, cpu


BENCHMARK = Benchmark(
    "recording",
    tuple(
        Metric(f"recording {name}, {label}{what}", "%", "lower" if what else "higher")
        for label in ("100 B requests", "1 MB requests")
        for name in COMPARED
        for what in ("", ", CPU")
    ),
    measure,
)
