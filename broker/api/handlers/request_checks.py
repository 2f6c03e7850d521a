"""What Kafka checks of a request before it looks at its parts; each raises `ApiError`.

The error response of the whole request is sent then (`Request.failed`).
"""

from __future__ import annotations

from broker.common.errors import ApiError
from broker.replication.fetch_data import ISOLATION_LEVELS
from protocol.errors import ErrorCode


def check_isolation_level(level: int) -> None:
    """UNKNOWN_SERVER_ERROR for a level that there is not: Kafka raises IllegalArgumentException."""
    if level not in ISOLATION_LEVELS:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)


def check_time_left(timeout_ms: int) -> None:
    """REQUEST_TIMED_OUT for a change of the cluster that may take no time at all.

    Kafka's controller looks at the deadline before it begins, and changes nothing.
    """
    if timeout_ms <= 0:
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT)
