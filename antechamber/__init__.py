"""antechamber: a Kafka-protocol broker that waits as Apache Kafka waits.

The package is the front door: the command line, and `Cluster`, a broker to test against. The
broker itself runs as a process of its own; nothing of it is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antechamber.admin_client import AdminError, NoBroker
    from antechamber.broker_process import StartError
    from antechamber.cluster import Cluster, Node

__all__ = ["AdminError", "Cluster", "NoBroker", "Node", "StartError"]

_HOMES = {
    "AdminError": "antechamber.admin_client",
    "NoBroker": "antechamber.admin_client",
    "StartError": "antechamber.broker_process",
    "Cluster": "antechamber.cluster",
    "Node": "antechamber.cluster",
}


if not TYPE_CHECKING:  # for type checkers there is nothing here but what is named above

    def __getattr__(name: str) -> Any:
        # Imported when asked for: the command line, and pytest runs that use no broker, need none.
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
