"""Append errors."""

from __future__ import annotations

import pytest

from broker.coordinators.append_errors import as_coordinator_error
from protocol.errors import ErrorCode


@pytest.mark.parametrize(
    ("error", "returned"),
    [
        (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NETWORK_EXCEPTION, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS),
        (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.INVALID_REQUIRED_ACKS, ErrorCode.INVALID_REQUIRED_ACKS),
    ],
)
def test_errors_of_an_append_become_errors_of_a_coordinator(
    error: ErrorCode, returned: ErrorCode
) -> None:
    """Errors that mean nothing special to a coordinator are returned unchanged."""
    assert as_coordinator_error(error) is returned
