"""Groups over a raw connection: finding coordinators and committing offsets."""

from __future__ import annotations

import struct

from integration.machine.deadlines import eventually
from integration.wire.connection import Connection, Reader, string
from integration.wire.requests import request

GROUP, TRANSACTION = 0, 1  # key types of FindCoordinator
COORDINATOR_NOT_AVAILABLE = 15
_OFFSET_COMMIT, _FIND_COORDINATOR = 8, 10


def find_coordinator(connection: Connection, key: str, kind: int = GROUP) -> int:
    """Find the coordinator of a group or a transactional id (v1); returns the error.

    The internal topic is created if it does not exist.
    """
    body = string(key) + struct.pack(">b", kind)
    read = Reader(connection.request(request(_FIND_COORDINATOR, 1, body)))
    return read.take("iih")[2]


def wait_for_coordinator(bootstrap: str, group: str) -> None:
    """Wait until a group has a coordinator, for clients that do not retry FindCoordinator."""
    with Connection(bootstrap) as connection:
        eventually(
            lambda: find_coordinator(connection, group) != COORDINATOR_NOT_AVAILABLE,
            f"a coordinator of group {group}",
        )


def commit_offset(
    connection: Connection, group: str, topic: str, partition: int, offset: int
) -> int:
    """Commit an offset for a group without members (v2); returns the error."""
    find_coordinator(connection, group)
    body = string(group) + struct.pack(">i", -1) + string("") + struct.pack(">qi", -1, 1)
    body += string(topic) + struct.pack(">iiq", 1, partition, offset) + string("")
    read = Reader(connection.request(request(_OFFSET_COMMIT, 2, body)))
    read.take("ii")
    read.string()
    return read.take("iih")[2]
