"""The error of a fenced producer in old versions of the requests of a transaction."""

from __future__ import annotations

from protocol.errors import ErrorCode

_PRODUCER_FENCED_SINCE = 2


def as_old_error(error: ErrorCode, version: int) -> ErrorCode:
    """INVALID_PRODUCER_EPOCH instead of PRODUCER_FENCED, which clients know since v2 (KIP-588)."""
    if error is ErrorCode.PRODUCER_FENCED and version < _PRODUCER_FENCED_SINCE:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return error
