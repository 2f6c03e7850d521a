"""antechamber: a Kafka-protocol broker whose delayed requests wait as in Apache Kafka.

This package is the public API: the command line, and `Cluster`, a broker for tests. The broker runs
in a process of its own; this package imports nothing of it. `AsyncCluster` is for asyncio and trio,
and needs ``pip install 'antechamber[async]'``.
"""

from __future__ import annotations

# Type checkers take it as true. The import of `typing` would take most of the start of a command.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from antechamber.admin_errors import AdminError, NoBroker
    from antechamber.asynchronous.cluster import AsyncCluster
    from antechamber.asynchronous.handle import AsyncHandle
    from antechamber.asynchronous.running_cluster import AsyncRunningCluster
    from antechamber.broker_process import StartError
    from antechamber.cluster import Cluster
    from antechamber.handle import Handle, Node
    from antechamber.running_cluster import RunningCluster

__all__ = [
    "AdminError",
    "AsyncCluster",
    "AsyncHandle",
    "AsyncRunningCluster",
    "Cluster",
    "Handle",
    "NoBroker",
    "Node",
    "RunningCluster",
    "StartError",
]

_HOMES = {
    "AdminError": "antechamber.admin_errors",
    "AsyncCluster": "antechamber.asynchronous.cluster",
    "AsyncHandle": "antechamber.asynchronous.handle",
    "AsyncRunningCluster": "antechamber.asynchronous.running_cluster",
    "NoBroker": "antechamber.admin_errors",
    "StartError": "antechamber.broker_process",
    "Cluster": "antechamber.cluster",
    "Handle": "antechamber.handle",
    "Node": "antechamber.handle",
    "RunningCluster": "antechamber.running_cluster",
}


if TYPE_CHECKING:
    __version__: str

if not TYPE_CHECKING:  # type checkers know the names imported above

    def __getattr__(name: str) -> Any:
        # Imports on demand: the command line and pytest runs without a broker need none of these.
        if name == "__version__":
            from antechamber.versions import own_version

            return own_version()
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
