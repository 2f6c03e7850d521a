"""A real Apache Kafka (KRaft) from its jars, on free loopback ports, as a context manager.

Broker properties have Kafka's names, and override those of `properties.py`.
"""

from __future__ import annotations

import base64
import shutil
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from integration.kafka.jars import KAFKA_VERSION
from integration.kafka.properties import CONTROLLER_NODE, node_properties, rack_properties
from integration.kafka.quick_start import class_path, quick_start, write_properties
from integration.machine.deadlines import eventually
from integration.processes.server_process import (
    ServerProcess,
    files_in,
    free_ports,
    wait_for_listener,
)
from integration.wire.connection import Connection, address
from integration.wire.requests import metadata, read_metadata

_LASTING = ("-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20")
START_WITHIN_SECONDS = 60


class RealKafka:
    """One or more nodes, ready after construction.

    ``quick``: a JVM that starts in a third of the time but stays slow. ``log_level``: the level of
    its log on stdout. ``listeners``: the addresses of the only node by listener, where *properties*
    configure several; one is PLAINTEXT. ``racks``: the rack of each node. ``advertised``: the port
    that the first node advertises instead of its own, because a proxy listens there; the others
    advertise the next ones.
    """

    name = f"Apache Kafka {KAFKA_VERSION}"
    source = "from its jars, on the local JVM"

    def __init__(
        self,
        nodes: int = 1,
        properties: Mapping[str, str] | None = None,
        *,
        heap: str = "1G",
        quick: bool = False,
        log_level: str = "ERROR",
        listeners: Mapping[str, str] | None = None,
        jvm_options: Sequence[str] = (),
        racks: Sequence[str] = (),
        advertised: int | None = None,
    ) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="antechamber-kafka-"))
        self.processes: list[ServerProcess] = []
        self._properties_of: dict[int, dict[str, str]] = {}
        self._files = quick_start()
        flags = self._files.jvm_flags if quick else _LASTING
        logging = f"-Dlog4j2.level={log_level}"
        self._java = ["java", f"-Xmx{heap}", *flags, "-Djava.awt.headless=true", logging]
        self._java += [*jvm_options, "-cp"]
        ports = free_ports(nodes + 1)
        self.listeners = listeners or {}
        self._controller = ports[nodes]
        self.nodes = {node + 1: f"127.0.0.1:{port}" for node, port in enumerate(ports[:nodes])}
        if listeners is not None:
            self.nodes = {1: listeners["PLAINTEXT"]}
        self.bootstrap = ",".join(self.nodes.values())
        self._advertised = advertised
        try:
            self._format(dict(properties or {}), racks)
            self._start_all()
        except BaseException:
            self.close()
            raise
        print(f"using {self.name}, {nodes} node(s) at {self.bootstrap}, {self.source}")

    @property
    def process(self) -> ServerProcess:
        """The process of the first node."""
        return self.processes[0]

    @property
    def pid(self) -> int:
        """The process id of the first node."""
        return self.process.pid

    def pause(self, node: int) -> None:
        """Pause a node; its connections remain open."""
        self.processes[node - 1].pause()

    def resume(self, node: int) -> None:
        """Resume a paused node."""
        self.processes[node - 1].resume()

    def stop(self, node: int) -> None:
        """Kill a node."""
        self.processes[node - 1].kill()

    def shut_down(self, node: int) -> None:
        """End a node in order: its partitions get other leaders before it ends."""
        self.processes[node - 1].stop()

    def start(self, node: int, properties: Mapping[str, str] | None = None) -> None:
        """Start a stopped node on its own logs, and wait until it serves.

        A node listens before the controller unfences it. One that is stopped in between leaves its
        registration behind, and cannot register again until its session has expired. *properties*
        replace its earlier ones.
        """
        self._properties_of[node] |= properties or {}
        self.processes[node - 1] = self._start(node)
        self._wait_for(node)
        eventually(partial(self._is_unfenced, node), f"node {node} in its own metadata")

    def partition_files(self, topic: str, partition: int, node: int = 1) -> dict[str, bytes]:
        """Return the files of a node's replica, by name."""
        return files_in(self.data_directory(node) / f"{topic}-{partition}")

    def data_directory(self, node: int = 1) -> Path:
        """The directory of a node's logs; to be changed only while it is stopped."""
        return self._folder(node) / "data"

    def close(self) -> None:
        """Kill all nodes and remove their files."""
        for process in self.processes:
            process.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start_all(self) -> None:
        for node in self.nodes:
            self.processes.append(self._start(node))
        for node in self.nodes:
            self._wait_for(node)
        if len(self.nodes) > 1:
            for address in self.nodes.values():
                eventually(
                    partial(self._knows_all, address), f"all nodes in the metadata of {address}"
                )

    def _start(self, node: int) -> ServerProcess:
        folder = self._folder(node)
        write_properties(folder / "server.properties", self._properties_of[node])
        command = [*self._java, class_path(), "kafka.Kafka", folder / "server.properties"]
        return ServerProcess(command, folder)

    def _wait_for(self, node: int) -> None:
        host, port = address(self.nodes[node])
        wait_for_listener(self.processes[node - 1], host, port, within=START_WITHIN_SECONDS)

    def _is_unfenced(self, node: int) -> bool:
        return node in self._known_to(self.nodes[node])

    def _knows_all(self, address: str) -> bool:
        return len(self._known_to(address)) == len(self.nodes)

    def _known_to(self, address: str) -> list[int]:
        """The nodes that are in the metadata of one, because they are not fenced."""
        with Connection(address) as connection:
            brokers = read_metadata(connection.request(metadata([]))).brokers
        return [node for node, _, _ in brokers]

    def _folder(self, node: int) -> Path:
        return self.directory / f"node{node}"

    def _format(self, properties: dict[str, str], racks: Sequence[str]) -> None:
        if self.listeners:
            properties["listeners"] += f",CONTROLLER://127.0.0.1:{self._controller}"
            properties["listener.security.protocol.map"] += ",CONTROLLER:PLAINTEXT"
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        for node in self.nodes:
            self._files.format(self.data_directory(node), cluster_id, node)
            self._properties_of[node] = {
                **self._properties(node),
                **rack_properties(node, racks),
                **properties,
            }

    def _properties(self, node: int) -> dict[str, str]:
        listener = f"PLAINTEXT://{self.nodes[node]}"
        controller = f"127.0.0.1:{self._controller}"
        listeners = f"{listener},CONTROLLER://{controller}" if node == CONTROLLER_NODE else listener
        advertised = listener
        if self._advertised is not None:
            advertised = f"PLAINTEXT://127.0.0.1:{self._advertised + node - 1}"
        return {
            **node_properties(node, len(self.nodes), controller),
            "listeners": listeners,
            "advertised.listeners": advertised,
            "log.dirs": str(self.data_directory(node)),
        }
