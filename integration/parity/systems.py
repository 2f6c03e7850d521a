"""The two compared systems, with one interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.kafka.source import sources_used, start_kafka
from integration.parity.setups import Setup
from integration.processes.server_process import files_in
from integration.security.secured import Secured

_HEAP = "512M"


class System(Protocol):
    """A running cluster whose nodes can be paused and killed."""

    name: str
    listeners: Mapping[str, str]  # the addresses of the first node, if the setup is secured

    @property
    def nodes(self) -> Mapping[int, str]:
        """The address of each node, by its id."""

    def pause(self, node: int) -> None:
        """Pause a node; its connections remain open."""

    def resume(self, node: int) -> None:
        """Resume a paused node."""

    def stop(self, node: int) -> None:
        """Kill a node."""

    def start(self, node: int) -> None:
        """Start a stopped node on its own logs."""

    def partition_files(self, topic: str, partition: int, node: int = 1) -> dict[str, bytes]:
        """Return the files of a node's replica, by name."""

    def close(self) -> None:
        """Stop all nodes."""


class Ours:
    """Our broker, started with `Cluster`."""

    name = "antechamber"

    def __init__(self, setup: Setup) -> None:
        self.listeners: Mapping[str, str] = {}
        if setup.is_secured:
            secured = Secured(setup.properties)
            self.listeners = secured.listeners
            self._cluster = Cluster(properties=secured.file)
        else:
            self._cluster = Cluster(setup.nodes, racks=setup.racks, config=setup.properties)
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
    """Start our broker."""
    return Ours(setup)


def start_theirs(setup: Setup) -> System:
    """Start a real Kafka."""
    properties = {**setup.properties, **setup.kafka_only}
    if setup.is_secured:  # a container could not read the certificates
        secured = Secured(properties)
        kafka = RealKafka(
            1,
            secured.properties,
            heap=_HEAP,
            quick=True,
            listeners=secured.listeners,
            jvm_options=secured.jvm_options,
        )
        sources_used[f"{kafka.name} {kafka.source}"] = None
        return kafka
    return start_kafka(setup.nodes, properties, heap=_HEAP, racks=setup.racks)
