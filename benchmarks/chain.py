"""Where the time of a produce with acks=all on three nodes goes: `python -m benchmarks.chain`.

It prints the steps of the event loop from the arrival of a produce to that of the next one, which a
client sends after the response: when each begins, and how long it takes, as medians.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.ready_partition import ready_partition
from benchmarks.stamped_broker import WAIT, Stamp
from benchmarks.systems import KEPT, System
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce

REQUESTS = 500
PRODUCE = "serve the produce"
_OPTIONS = ("--brokers", "3", "-c", "default.replication.factor=3", "-c", "=".join(KEPT))


class Step(NamedTuple):
    """A step: how deep it is nested, its name, its begin and its duration in microseconds."""

    depth: int
    name: str
    at_us: float
    took_us: float


class StampedBroker:
    """Three nodes in a process that stamps their steps; ``stamps`` after `close`."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="antechamber-chain-"))
        ready, self._out = self.directory / "ready.json", self.directory / "stamps.json"
        ports = ("--port", "0", "--admin-port", "0", "--ready-file", str(ready))
        module = "benchmarks.stamped_broker"
        command = [sys.executable, "-m", module, str(self._out), *ports, *_OPTIONS]
        self.process = ServerProcess(command, self.directory)
        eventually(ready.exists, "the ready file")
        self.bootstrap: str = json.loads(ready.read_text())["bootstrap"]
        self.stamps: list[Stamp] = []

    def close(self) -> None:
        """Stop the broker, and read its stamps."""
        self.process.stop()
        self.stamps = json.loads(self._out.read_text())
        shutil.rmtree(self.directory, ignore_errors=True)


def measure(broker: StampedBroker) -> None:
    """Send produces, each of them after the response to the previous one."""
    system = System("ours", lambda: broker)
    system.server = broker
    topic, _, leader = ready_partition(system)
    frame = produce(topic, 0, batch([bytes(1000)]))
    with Connection(leader) as connection:
        for _ in range(REQUESTS):
            assert read_produce(connection.request(frame)).error == 0


def chain(stamps: list[Stamp]) -> list[Step]:
    """The medians of those of the last requests that have the most frequent sequence of steps."""
    cycles = list(_cycles(stamps))[-REQUESTS:]
    [(names, _)] = Counter(map(_names, cycles)).most_common(1)
    alike = [steps for steps in cycles if _names(steps) == names]
    return [
        each[0]._replace(
            at_us=median(step.at_us for step in each), took_us=median(step.took_us for step in each)
        )
        for each in zip(*alike, strict=True)
    ]


def _names(steps: list[Step]) -> tuple[tuple[int, str], ...]:
    return tuple((step.depth, step.name) for step in steps)


def _cycles(stamps: list[Stamp]) -> Iterator[list[Step]]:
    """The steps of each request, from the end of the wait in which it arrived."""
    ends = [at for at, (name, begins, _) in enumerate(stamps) if name == WAIT and not begins]
    served = [at for at, (name, begins, _) in enumerate(stamps) if name == PRODUCE and begins]
    starts = [max((end for end in ends if end < at), default=0) for at in served]
    for start, stop in pairwise(starts):
        yield _steps(stamps[start + 1 : stop + 1], stamps[start][2])


def _steps(stamps: list[Stamp], began_ns: int) -> list[Step]:
    steps: list[Step] = []
    open_steps: list[tuple[int, int]] = []
    for name, begins, at_ns in stamps:
        if begins:
            open_steps.append((len(steps), at_ns))
            steps.append(Step(len(open_steps) - 1, name, (at_ns - began_ns) / 1000, 0.0))
        elif open_steps:  # else it has begun before the request, as the step of the serving task
            number, since_ns = open_steps.pop()
            steps[number] = steps[number]._replace(took_us=(at_ns - since_ns) / 1000)
    return steps


def main() -> None:
    """Measure, and print a line for each step."""
    broker = StampedBroker()
    try:
        measure(broker)
    finally:
        broker.close()
    print("at µs  took")
    for step in chain(broker.stamps):
        print(f"{step.at_us:5.0f} {step.took_us:5.0f}  {'  ' * step.depth}{step.name}")


if __name__ == "__main__":
    main()
