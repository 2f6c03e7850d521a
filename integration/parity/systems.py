"""The two sides of a comparison, behind one face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from antechamber import Cluster
from integration.kafka.source import start_kafka
from integration.parity.setups import Setup
from integration.processes.server_process import files_in

_HEAP = "512M"


class System(Protocol):
    """A running cluster whose nodes can be harmed."""

    name: str

    @property
    def nodes(self) -> Mapping[int, str]:
        """Where each node listens, by its id."""

    def pause(self, node: int) -> None:
        """Let a node do nothing, its connections open."""

    def resume(self, node: int) -> None:
        """Let a paused node go on."""

    def stop(self, node: int) -> None:
        """End a node as a crash does."""

    def start(self, node: int) -> None:
        """Start a stopped node on its own logs."""

    def partition_files(self, topic: str, partition: int, node: int = 1) -> dict[str, bytes]:
        """The files of a node's replica, by name."""

    def close(self) -> None:
        """End all of it."""


class Ours:
    """Our broker, by the handle that its users have."""

    name = "antechamber"

    def __init__(self, setup: Setup) -> None:
        self._cluster = Cluster(setup.nodes, config=setup.properties)
        self.nodes = {node.id: f"{node.host}:{node.port}" for node in self._cluster.nodes}
        self.pause = self._cluster.pause
        self.resume = self._cluster.resume
        self.stop = self._cluster.stop
        self.start = self._cluster.start
        self.close = self._cluster.close

    def partition_files(self, topic: str, partition: int, node: int = 1) -> dict[str, bytes]:
        """See `System`."""
        return files_in(self._cluster.data_dir / f"node-{node}" / f"{topic}-{partition}")


def start_ours(setup: Setup) -> System:
    """Our side."""
    return Ours(setup)


def start_theirs(setup: Setup) -> System:
    """Kafka's side."""
    properties = {**setup.properties, **setup.kafka_only}
    return start_kafka(setup.nodes, properties, heap=_HEAP)
