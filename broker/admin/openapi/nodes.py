"""Describes ``/v1/nodes/{id}``: the faults of a whole node."""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.parameters import in_path, whole
from broker.admin.openapi.schema import ref

NODE_ID_MAX = 2**31 - 1


def _change(name: str, summary: str) -> dict[str, Operation]:
    """A change of a node's state."""
    return {
        "POST": Operation(
            name,
            summary,
            ref("Node"),
            (in_path(whole("id", "the id of the node", 0, NODE_ID_MAX)),),
            (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
        )
    }


NODES = Section(
    "nodes",
    "Faults of a node.",
    {
        "/v1/nodes/{id}/pause": _change(
            "pauseNode", "Stop the fetches of the node's followers; it still serves as a leader."
        ),
        "/v1/nodes/{id}/resume": _change(
            "resumeNode", "Resume the fetches of the node's followers."
        ),
        "/v1/nodes/{id}/stop": _change("stopNode", "End the node as after `kill -9`."),
        "/v1/nodes/{id}/shutdown": _change(
            "shutDownNode", "Stop the node in an orderly way, after others lead its partitions."
        ),
        "/v1/nodes/{id}/start": _change("startNode", "Start a stopped node with its own logs."),
    },
    {},
)
