"""The settings of a node that the command line has under other names, by Kafka's keys.

DescribeConfigs returns them as static settings, as in Kafka, where they are in the properties file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

Address = tuple[str, int]
"""A host and a port."""


def node_settings(
    node_id: int,
    listening: Mapping[str, Address],
    advertised: Mapping[str, Address],
    data_dirs: Sequence[Path],
    rack: str | None = None,
) -> Mapping[str, str]:
    """Kafka's keys for a node's id, addresses by listener, data directories, and rack."""
    settings = {
        "process.roles": "broker,controller",
        "node.id": str(node_id),
        "broker.id": str(node_id),
        "listeners": _entries(listening),
        "advertised.listeners": _entries(advertised),
        "log.dirs": ",".join(map(str, data_dirs)),
    }
    return settings if rack is None else {**settings, "broker.rack": rack}


def _entries(addresses: Mapping[str, Address]) -> str:
    return ",".join(listener_entry(name, *address) for name, address in addresses.items())


def listener_entry(listener: str, host: str, port: int) -> str:
    """An entry of ``listeners``."""
    return f"{listener}://[{host}]:{port}" if ":" in host else f"{listener}://{host}:{port}"
