"""The compared systems: how each is started, and what it does not support."""

from __future__ import annotations

import shutil
import sys
import tempfile
import urllib.request
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import psutil  # type: ignore[import-untyped]  # it has no types

from benchmarks.kfake import Kfake, missing_for_kfake
from benchmarks.processor_time import processor_seconds
from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.real_kafka import RealKafka
from integration.machine.deadlines import eventually
from integration.processes.antechamber import Antechamber
from integration.processes.server_process import ServerProcess
from integration.security.certificates import certificates
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata
from integration.wire.topics import auto_create_topic

# The columns of the table, in this order; `pure` is ours without compiled modules.
NAMES = ("ours", "pure", "Kafka", "kfake", "mock")
# Our default is none; the delay would be measured instead of the work.
_NO_DELAY = ("group.initial.rebalance.delay.ms", "0")
# The records of the raw clients have timestamp 0 and would be deleted at the first check.
KEPT = ("log.retention.ms", "-1")
# A JVM compiles what runs often; how much faster Kafka becomes is on the page (`sections.HEAD`).
JVM_WARM_UP_ROUNDS = 8


class Server(Protocol):
    """A running broker."""

    bootstrap: str

    @property
    def process(self) -> ServerProcess:
        """The process to measure."""

    def close(self) -> None:
        """Stop it."""


@dataclass
class System:
    """One column of the table, with its server for the whole run."""

    name: str
    start: Callable[[], Server]
    wakes_fetches: bool = True
    keeps_records: bool = True
    waits_for_pending_members: bool = True
    has_share_groups: bool = False
    pause: Callable[[Any, int], None] | None = None
    resume: Callable[[Any, int], None] | None = None
    tls: bool = False
    # Rounds before the others, of this system alone, whose figures are not kept.
    warm_up_rounds: int = 0
    server: Server = field(init=False)
    topics: dict[str, str] = field(default_factory=dict)

    @property
    def bootstrap(self) -> str:
        """The bootstrap servers of this run's server."""
        return self.server.bootstrap

    @property
    def client(self) -> dict[str, Any]:
        """The settings with which librdkafka connects."""
        metrics = {"enable.metrics.push": False}
        if not self.tls:
            return {"bootstrap.servers": self.bootstrap, **metrics}
        server: Any = self.server
        return {
            "bootstrap.servers": server.listeners["TLS"],
            "security.protocol": "ssl",
            "ssl.ca.location": str(certificates().authority.path),
            **metrics,
        }

    def new_topic(self) -> str:
        """Create a topic; its partition 0 is ready."""
        name = f"benchmark-{uuid.uuid4().hex[:12]}"
        with Connection(self.bootstrap) as connection:
            auto_create_topic(connection, name)
        return name

    def cpu_seconds(self) -> float:
        """The processor time that all processes of the server have used so far."""
        return sum(processor_seconds(process.pid) for process in _processes(self.server))

    def resident_mb(self) -> float:
        """The resident memory of the server now."""
        return resident_mb(self.server)


def resident_mb(server: Server) -> float:
    """The resident memory of a server's processes."""
    found = (psutil.Process(process.pid) for process in _processes(server))
    return sum(float(process.memory_info().rss / 1e6) for process in found)


def _processes(server: Server) -> list[ServerProcess]:
    """A real Kafka has one for each node."""
    return getattr(server, "processes", None) or [server.process]


def wait_for_first_response(server: Server) -> None:
    """Wait until a Metadata response names a broker."""

    def responds() -> bool:
        with Connection(server.bootstrap, timeout=5) as connection:
            return bool(read_metadata(connection.request(metadata([]))).brokers)

    eventually(responds, "a first response", within=60)


class MockCluster:
    """librdkafka's mock cluster in a process of its own."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="antechamber-mock-"))
        self.process = ServerProcess(
            [sys.executable, "-m", "benchmarks.mock_cluster"], self.directory
        )
        eventually(lambda: self.process.stdout().endswith("\n"), "the mock's address")
        self.bootstrap = self.process.stdout().strip()

    def close(self) -> None:
        """End it."""
        self.process.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


class NoServer:
    """Replaces a server for benchmarks that need none."""

    bootstrap = ""

    @property
    def process(self) -> ServerProcess:
        """Raise NotImplementedError: no benchmark without a server measures a process."""
        raise NotImplementedError

    def close(self) -> None:
        """Do nothing."""


def available(nodes: int = 1, compiled: Path | None = None) -> list[System]:
    """Return the systems of *nodes* brokers that this machine can run; prints why one is missing.

    With several brokers, topics are replicated on all of them; with none, only ours is measured.
    *compiled* is the folder of our compiled build; None: ours is the pure one.
    """
    if not nodes:
        return [System("ours", NoServer)]
    factor = ("default.replication.factor", str(nodes))
    systems = [_ours("ours", nodes, factor, compiled)]
    if compiled is not None:
        systems.append(_ours("pure", nodes, factor, None))
    if nodes == 1:
        systems.append(System("mock", MockCluster, wakes_fetches=False, keeps_records=False))
        if (missing := missing_for_kfake()) is None:
            systems.append(System("kfake", Kfake, waits_for_pending_members=False))
        else:
            print(f"without kfake: {missing}", file=sys.stderr)
    if (missing := missing_for_a_jvm()) is None:
        systems.append(
            System(
                "Kafka",
                lambda: RealKafka(nodes, dict([factor, _NO_DELAY, KEPT])),
                has_share_groups=True,
                pause=lambda server, node: server.processes[node - 1].pause(),
                resume=lambda server, node: server.processes[node - 1].resume(),
                warm_up_rounds=JVM_WARM_UP_ROUNDS,
            )
        )
    else:
        print(f"without a real Kafka: {missing}", file=sys.stderr)
    return systems


def _ours(name: str, nodes: int, factor: tuple[str, str], packages: Path | None) -> System:
    options = "--brokers", str(nodes), "-c", "=".join(factor), "-c", "=".join(KEPT)
    return System(
        name,
        lambda: Antechamber(*options, packages=packages),
        has_share_groups=True,
        pause=lambda server, node: _fault(server, node, "pause"),
        resume=lambda server, node: _fault(server, node, "resume"),
    )


def _fault(server: Antechamber, node: int, action: str) -> None:
    url = f"{server.ready['admin']}/v1/nodes/{node}/{action}"
    with urllib.request.urlopen(urllib.request.Request(url, method="POST"), timeout=10):
        pass
