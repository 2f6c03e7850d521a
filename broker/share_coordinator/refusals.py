"""The errors of the share coordinator, with Kafka's messages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from broker.common.errors import ApiError
from protocol.errors import ErrorCode

_MESSAGES: Final[Mapping[ErrorCode, str]] = MappingProxyType(
    {
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: (
            "The coordinator is loading and hence can't process requests."
        ),
        ErrorCode.COORDINATOR_NOT_AVAILABLE: "The coordinator is not available.",
        ErrorCode.NOT_COORDINATOR: "This is not the correct coordinator.",
        ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "Cluster authorization failed.",
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
        ErrorCode.FENCED_LEADER_EPOCH: (
            "The leader epoch in the request is older than the epoch on the broker."
        ),
        ErrorCode.FENCED_STATE_EPOCH: (
            "The share coordinator rejected the request because the share-group state epoch did "
            "not match."
        ),
    }
)


def message_of(error: ErrorCode) -> str | None:
    """Kafka's general message of an error; None without one."""
    return _MESSAGES.get(error)


FENCED_LEADER: Final = ApiError(ErrorCode.FENCED_LEADER_EPOCH)
FENCED_STATE: Final = ApiError(ErrorCode.FENCED_STATE_EPOCH)
UNKNOWN_PARTITION: Final = ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
NEGATIVE_PARTITION: Final = ApiError(
    ErrorCode.INVALID_REQUEST, "The partition id cannot be a negative number."
)
UNINITIALIZED_READ: Final = ApiError(
    ErrorCode.INVALID_REQUEST, "Read operation on uninitialized share partition not allowed."
)
UNINITIALIZED_WRITE: Final = ApiError(
    ErrorCode.INVALID_REQUEST, "Write operation on uninitialized share partition not allowed."
)
