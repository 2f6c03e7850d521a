"""The cost of a timer in Kafka's own `SystemTimer`, measured by `PurgatoryBenchmark.java`."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from integration.kafka.java_program import java_command

JAVA = Path(__file__).parent / "java" / "PurgatoryBenchmark.java"


class TimerCost(NamedTuple):
    """Nanoseconds of an operation, and bytes of a pending timer without its task."""

    add_ns: float
    cancel_ns: float
    pending_bytes: float


def kafka_timers(counts: Iterable[int]) -> dict[int, TimerCost]:
    """The costs by the number of pending timers; needs a JVM and Kafka's jars."""
    with tempfile.TemporaryDirectory() as classes:
        command = java_command(JAVA, "PurgatoryBenchmark", Path(classes))
        done = subprocess.run(
            [*command, "timers", *map(str, counts)],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
    lines = (line.split() for line in done.stdout.splitlines())
    return {int(count): TimerCost(*map(float, costs)) for count, *costs in lines}
