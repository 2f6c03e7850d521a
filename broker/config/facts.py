"""The settings of a node that the command line makes under other names than Kafka's.

DescribeConfigs returns them as if they were in the node's properties, as they are in Kafka's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

Address = tuple[str, int]


def node_facts(
    node_id: int, listening: Address, advertised: Address, data_dirs: Sequence[Path]
) -> Mapping[str, str]:
    """Kafka's keys for a node's id, where it listens, and where its logs are."""
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
