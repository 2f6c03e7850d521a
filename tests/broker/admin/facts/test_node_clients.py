"""Client ids of nodes."""

from __future__ import annotations

import pytest

from broker.admin.facts.node_clients import is_node


@pytest.mark.parametrize(
    ("client_id", "expected"),
    [
        ("node-2", True),
        ("node-12-txn-marker-sender", True),
        ("node-1-add-partitions-to-txn", True),
        ("node", True),
        (None, False),
        ("", False),
        ("node-2-app", False),
        ("nodejs", False),
    ],
)
def test_nodes_are_recognized_by_their_client_ids(client_id: str | None, expected: bool) -> None:
    """Other client ids that begin like them are those of clients."""
    assert is_node(client_id) is expected
