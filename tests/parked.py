"""The parked requests of a node, for tests."""

from __future__ import annotations

from typing import Any

from broker.admin.facts.parked_requests import parked_requests
from broker.node import Node


def parked_on(node: Node) -> list[dict[str, Any]]:
    """What the admin interface returns for the requests that are parked on a node."""
    return list(parked_requests(node.id, node.clock, node.connections))
