"""Append errors."""

from __future__ import annotations

import pytest

from broker.groups.append_errors import as_coordinator_error
from protocol.errors import ErrorCode


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.INVALID_REQUIRED_ACKS, ErrorCode.INVALID_REQUIRED_ACKS),
    ],
)
def test_members_are_told_what_it_means_to_them(stored: ErrorCode, told: ErrorCode) -> None:
    """A replica that lags is a coordinator that is not there; what has no meaning stays."""
    assert as_coordinator_error(stored) is told
