"""Checks of a whole request, as in Kafka; each raises `ApiError`.

The request then gets the error response of its API (`Request.failed`).
"""

from __future__ import annotations

from typing import Any

from broker.api.request import Request
from broker.common.errors import ApiError
from broker.controller.metadata.features import SHARE_VERSION
from broker.replication.fetch_data import ISOLATION_LEVELS
from protocol.errors import ErrorCode


def check_isolation_level(level: int) -> None:
    """Raise UNKNOWN_SERVER_ERROR for an unknown level (an IllegalArgumentException in Kafka)."""
    if level not in ISOLATION_LEVELS:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)


def check_time_left(timeout_ms: int) -> None:
    """Raise REQUEST_TIMED_OUT if the timeout of a cluster change is not positive.

    Kafka's controller checks the deadline first, and changes nothing.
    """
    if timeout_ms <= 0:
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT)


def require_share_groups(request: Request[Any]) -> None:
    """Raise `ApiError` UNSUPPORTED_VERSION if share.version is 0: there are no share groups."""
    if not request.services.image.feature_level(SHARE_VERSION):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
