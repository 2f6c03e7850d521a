"""A real Apache Kafka (KRaft, combined nodes) on free loopback ports, as a context manager.

Broker properties are given as to Kafka itself. What is set here by default only makes it start in
seconds and lets small clusters hold the internal topics; it changes nothing that clients see.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from integration.kafka_jars import KAFKA_VERSION, kafka_jars
from integration.processes import ServerProcess, free_ports, wait_for_listener

_SERVER_FLAGS = ["-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-Djava.awt.headless=true"]
START_WITHIN_SECONDS = 60


class RealKafka:
    """One to many nodes, serving once the constructor returns."""

    name = f"Apache Kafka {KAFKA_VERSION}"

    def __init__(
        self, nodes: int = 1, properties: Mapping[str, str] | None = None, *, heap: str = "1G"
    ) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="antechamber-kafka-"))
        self.processes: list[ServerProcess] = []
        self._class_path = f"{kafka_jars()}/*"
        self._heap = heap
        ports = free_ports(2 * nodes)
        self._listeners, self._controllers = ports[:nodes], ports[nodes:]
        self.bootstrap = ",".join(f"127.0.0.1:{port}" for port in self._listeners)
        try:
            self._format(dict(properties or {}))
            self.start()
        except BaseException:
            self.close()
            raise
        print(f"using {self.name}, {nodes} node(s) at {self.bootstrap}, from {self._class_path}")

    @property
    def process(self) -> ServerProcess:
        """The first node."""
        return self.processes[0]

    @property
    def pid(self) -> int:
        """The first node's process id."""
        return self.process.pid

    def start(self) -> None:
        """Start every (formatted) node and wait until all listen."""
        java = ["java", f"-Xmx{self._heap}", *_SERVER_FLAGS, "-cp", self._class_path, "kafka.Kafka"]
        self.processes = [
            ServerProcess([*java, folder / "server.properties"], folder)
            for folder in self._folders()
        ]
        for process, port in zip(self.processes, self._listeners, strict=True):
            wait_for_listener(process, "127.0.0.1", port, within=START_WITHIN_SECONDS)

    def close(self) -> None:
        """Kill all nodes (nobody needs a controlled shutdown here) and remove their files."""
        for process in self.processes:
            process.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _folders(self) -> list[Path]:
        return [self.directory / f"node{i + 1}" for i in range(len(self._listeners))]

    def _format(self, properties: dict[str, str]) -> None:
        cluster_id = self._storage_tool("random-uuid").strip().splitlines()[-1]
        for i, folder in enumerate(self._folders()):
            folder.mkdir()
            lines = {**self._properties(i, folder), **properties}
            file = folder / "server.properties"
            file.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
            self._storage_tool("format", "-t", cluster_id, "-c", str(file))

    def _storage_tool(self, *arguments: str) -> str:
        tool = ["java", "-XX:TieredStopAtLevel=1", "-cp", self._class_path]
        tool += ["kafka.tools.StorageTool", *arguments]
        done = subprocess.run(tool, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def _properties(self, index: int, folder: Path) -> dict[str, str]:
        listener = f"127.0.0.1:{self._listeners[index]}"
        voters = [f"{i + 1}@127.0.0.1:{port}" for i, port in enumerate(self._controllers)]
        copies = str(min(3, len(voters)))
        return {
            "process.roles": "broker,controller",
            "node.id": str(index + 1),
            "listeners": f"PLAINTEXT://{listener},CONTROLLER://127.0.0.1:{self._controllers[index]}",
            "advertised.listeners": f"PLAINTEXT://{listener}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": ",".join(voters),
            "log.dirs": str(folder / "data"),
            "offsets.topic.replication.factor": copies,
            "offsets.topic.num.partitions": "1",
            "transaction.state.log.replication.factor": copies,
            "transaction.state.log.num.partitions": "1",
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.replication.factor": copies,
            "share.coordinator.state.topic.min.isr": "1",
            "group.initial.rebalance.delay.ms": "0",
        }
