"""A real Apache Kafka in containers of the official image, by testcontainers.

`ANTECHAMBER_KAFKA_IMAGE` names another image of the same version and with the same interface.

The nodes communicate over a network of their own. Clients connect to loopback ports that are chosen
in advance, because a broker must know its address before it starts.
"""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Self

from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from integration.kafka.jars import KAFKA_VERSION
from integration.kafka.properties import CONTROLLER_NODE, node_properties, rack_properties
from integration.processes.server_process import free_ports

IMAGE = os.environ.get("ANTECHAMBER_KAFKA_IMAGE") or f"apache/kafka:{KAFKA_VERSION}"
DATA = "/tmp/kraft-combined-logs"
START_WITHIN_SECONDS = 120
_CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
_STARTED = r"Kafka Server started"


class KafkaContainers:
    """One or more nodes, ready after construction."""

    name = f"Apache Kafka {KAFKA_VERSION}"
    source = f"in containers of {IMAGE}"

    def __init__(
        self,
        nodes: int = 1,
        properties: Mapping[str, str] | None = None,
        *,
        heap: str = "1G",
        racks: Sequence[str] = (),
    ) -> None:
        ports = free_ports(nodes)
        self.nodes = {node + 1: f"127.0.0.1:{port}" for node, port in enumerate(ports)}
        self.bootstrap = ",".join(self.nodes.values())
        self.listeners: Mapping[str, str] = {}
        self._containers: dict[int, DockerContainer] = {}
        with ExitStack() as running:
            network = running.enter_context(Network())
            for node, port in enumerate(ports, start=1):
                container = DockerContainer(IMAGE)
                container.with_network(network).with_network_aliases(_alias(node))
                container.with_bind_ports(9092, port)
                given = {**rack_properties(node, racks), **(properties or {})}
                for key, value in environment(node, self.nodes, given, heap).items():
                    container.with_env(key, value)
                self._containers[node] = container
                running.enter_context(container)
            for container in self._containers.values():
                _wait_until_started(container)
            self._running = running.pop_all()
        print(f"using {self.name}, {nodes} node(s) at {self.bootstrap}, {self.source}")

    def pause(self, node: int) -> None:
        """Pause a node; its connections remain open."""
        self._engine(node).pause()

    def resume(self, node: int) -> None:
        """Resume a paused node."""
        self._engine(node).unpause()

    def stop(self, node: int) -> None:
        """Kill a node."""
        self._engine(node).kill("SIGKILL")

    def start(self, node: int) -> None:
        """Start a stopped node on its own logs, and wait until it serves."""
        self._engine(node).start()
        _wait_until_started(self._containers[node])

    def partition_files(self, topic: str, partition: int, node: int = 1) -> dict[str, bytes]:
        """Return the files of a node's replica, by name."""
        chunks, _ = self._engine(node).get_archive(f"{DATA}/{topic}-{partition}")
        files = {}
        with tarfile.open(fileobj=io.BytesIO(b"".join(chunks))) as archive:
            for member in archive:
                content = archive.extractfile(member)
                if content is not None:
                    files[member.name.rpartition("/")[2]] = content.read()
        return files

    def close(self) -> None:
        """Remove all containers and their network."""
        self._running.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _engine(self, node: int) -> Any:
        return self._containers[node].get_wrapped_container()


def environment(
    node: int, nodes: Mapping[int, str], properties: Mapping[str, str], heap: str
) -> dict[str, str]:
    """The environment variables of the image: `KAFKA_A_B` for a property `a.b`."""
    controller = f"{_alias(CONTROLLER_NODE)}:9093"
    every = {
        **node_properties(node, len(nodes), controller),
        "listeners": "PLAINTEXT://:9092,BROKER://:9094",
        "advertised.listeners": f"PLAINTEXT://{nodes[node]},BROKER://{_alias(node)}:9094",
        "listener.security.protocol.map": ",".join(
            f"{name}:PLAINTEXT" for name in ("PLAINTEXT", "BROKER", "CONTROLLER")
        ),
        "inter.broker.listener.name": "BROKER",
        "log.dirs": DATA,
        **properties,
    }
    if node == CONTROLLER_NODE:
        every["listeners"] += f",CONTROLLER://{controller}"
    variables = {f"KAFKA_{key.upper().replace('.', '_')}": value for key, value in every.items()}
    return {**variables, "CLUSTER_ID": _CLUSTER_ID, "KAFKA_HEAP_OPTS": f"-Xmx{heap}"}


def _alias(node: int) -> str:
    return f"kafka-{node}"


def _wait_until_started(container: DockerContainer) -> None:
    strategy = LogMessageWaitStrategy(_STARTED)
    strategy.with_startup_timeout(START_WITHIN_SECONDS).wait_until_ready(container)
