"""Recognizes the connections between nodes by their client ids."""

from __future__ import annotations

import re

# Of fetchers, of the senders of markers and verifications, and of their logins.
_NODE = re.compile(r"node(-[0-9]+(-txn-marker-sender|-add-partitions-to-txn)?)?", re.ASCII)


def is_node(client_id: str | None) -> bool:
    """Whether a client id is one by which nodes name themselves to each other."""
    return client_id is not None and _NODE.fullmatch(client_id) is not None
