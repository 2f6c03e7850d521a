"""The cost of wait records: the same work for brokers with and without recording.

All brokers run at the same time and are used alternately for short periods, so that other load
affects all of them; a figure is the median of the ratios to the broker without recording. Processor
time is the kernel's, in nanoseconds, including the later work of the outbox. "Off, repeated" is a
second broker without recording: its difference from 100 is noise, and smaller differences mean
nothing. A producer's messages are batched by librdkafka, as those of users. Small requests one
after the other are the worst case: a record for each, with little other work. Only our broker has
wait records.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from confluent_kafka import Producer

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.producing import SETTINGS
from benchmarks.systems import System
from integration.machine.scheduling import on_cpu_ns
from integration.processes.antechamber import Antechamber
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce

STRETCHES = 25
MESSAGE = bytes(100)
# A period of a tenth of a second or more: the caches are warm again, and the outbox is active.
MESSAGES = 20_000
SMALL_REQUESTS = 1000
LARGE_REQUESTS = 25
TOPIC = "recorded"
WORKS = ("a producer's 100 B messages", "100 B requests", "1 MB requests")
COMPARED = ("off, repeated", "in memory", "to a file")
SETTLED_SECONDS = 0.15  # the outbox has then sent the records of a period

Work = Callable[[], int]  # one period; returns the number of messages or requests


def measure(system: System, scale: float) -> Sample:
    """In memory only, and also to a file."""
    if system.name != "ours":
        return {}
    stretches = max(1, int(STRETCHES * scale))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        options = {
            "off": (),
            "off, repeated": (),
            "in memory": ("--record",),
            "to a file": ("--records", str(folder / "records")),
        }
        brokers = {
            name: stack.enter_context(Antechamber("--topic", TOPIC, *given))
            for name, given in options.items()
        }
        works = {name: _works(broker.bootstrap, stack) for name, broker in brokers.items()}
        sample = {}
        for label in WORKS:
            of_label = {name: works[name][label] for name in brokers}
            rates, cpu = _in_turn(brokers, of_label, stretches)
            for name in COMPARED:
                key = f"recording {name}, {label}"
                sample[key] = _ratio(rates[name], rates["off"])
                sample[f"{key}, CPU"] = _ratio(cpu[name], cpu["off"])
        return sample


def _works(bootstrap: str, stack: ExitStack) -> dict[str, Work]:
    """The work by the labels above."""
    # The brokers stop before the producer does; its errors are not printed.
    quiet = {"log.connection.close": False}
    producer = Producer({"bootstrap.servers": bootstrap, **SETTINGS, **quiet})
    connection = stack.enter_context(Connection(bootstrap))
    small = produce(TOPIC, 0, batch([MESSAGE]))
    large = produce(TOPIC, 0, batch([bytes(1000)] * 1000))

    def send() -> int:
        for _ in range(MESSAGES):
            producer.produce(TOPIC, MESSAGE, partition=0)
        assert producer.flush(60) == 0
        return MESSAGES

    def repeat(frame: bytes, count: int) -> int:
        for _ in range(count):
            connection.request(frame)
        return count

    raw = (partial(repeat, small, SMALL_REQUESTS), partial(repeat, large, LARGE_REQUESTS))
    return dict(zip(WORKS, (send, *raw), strict=True))


def _ratio(values: list[float], others: list[float]) -> float:
    pairs = zip(values, others, strict=True)
    return median(value / other for value, other in pairs) * 100


def _in_turn(
    brokers: dict[str, Antechamber], works: dict[str, Work], stretches: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the rate and the processor time of each broker, period by period."""
    rates: dict[str, list[float]] = {name: [] for name in brokers}
    cpu: dict[str, list[float]] = {name: [] for name in brokers}
    for stretch in range(stretches + 1):
        for name, work in works.items():
            used = on_cpu_ns(brokers[name].pid)
            started = time.perf_counter()
            count = work()
            took = time.perf_counter() - started
            time.sleep(SETTLED_SECONDS)
            if stretch:  # the first one warms up
                rates[name].append(count / took)
                cpu[name].append(on_cpu_ns(brokers[name].pid) - used)
    return rates, cpu


BENCHMARK = Benchmark(
    "recording",
    tuple(
        Metric(f"recording {name}, {label}{what}", "%", "lower" if what else "higher")
        for label in WORKS
        for name in COMPARED
        for what in ("", ", CPU")
    ),
    measure,
    heavy=True,
)
