"""The settings of a node that the command line has under other names, by Kafka's keys.

DescribeConfigs returns them as static settings, as in Kafka, where they are in the properties file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

Address = tuple[str, int]


def node_settings(
    node_id: int, listening: Address, advertised: Address, data_dirs: Sequence[Path]
) -> Mapping[str, str]:
    """Kafka's keys for a node's id, listeners and data directories."""
    return {
        "process.roles": "broker,controller",
        "node.id": str(node_id),
        "broker.id": str(node_id),
        "listeners": _listener(listening),
        "advertised.listeners": _listener(advertised),
        "log.dirs": ",".join(map(str, data_dirs)),
    }


def _listener(address: Address) -> str:
    host, port = address
    return f"PLAINTEXT://[{host}]:{port}" if ":" in host else f"PLAINTEXT://{host}:{port}"
