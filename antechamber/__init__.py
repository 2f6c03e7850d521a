"""antechamber: a Kafka-protocol broker whose delayed requests wait as in Apache Kafka.

This package is the public API: the command line, and `Cluster`, a broker for tests. The broker runs
in a process of its own; this package imports nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antechamber.admin_client import AdminError, NoBroker
    from antechamber.broker_process import StartError
    from antechamber.cluster import Cluster
    from antechamber.handle import Handle, Node
    from antechamber.running_cluster import RunningCluster

__all__ = ["AdminError", "Cluster", "Handle", "NoBroker", "Node", "RunningCluster", "StartError"]

_HOMES = {
    "AdminError": "antechamber.admin_client",
    "NoBroker": "antechamber.admin_client",
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
