"""The errors of the persister as the clients of a partition leader get them."""

from __future__ import annotations

from typing import Final

from protocol.errors import ErrorCode

_PARTITION_ERRORS: Final = {
    ErrorCode.NONE: ErrorCode.NONE,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.GROUP_ID_NOT_FOUND: ErrorCode.GROUP_ID_NOT_FOUND,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.FENCED_LEADER_EPOCH: ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.FENCED_STATE_EPOCH: ErrorCode.NOT_LEADER_OR_FOLLOWER,
}

# After these errors the state in memory is not that of the group, and is read again.
FENCING: Final = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.GROUP_ID_NOT_FOUND,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
)


def partition_error(error: ErrorCode) -> ErrorCode:
    """The error of the partition for an error of the persister."""
    return _PARTITION_ERRORS.get(error, ErrorCode.UNKNOWN_SERVER_ERROR)
