"""The errors with which the share coordinator refuses calls."""

from __future__ import annotations

from typing import Final

from broker.common.errors import ApiError
from protocol.errors import ErrorCode

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
