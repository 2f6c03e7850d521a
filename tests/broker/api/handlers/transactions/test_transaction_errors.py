"""The error of fenced producers by version."""

from __future__ import annotations

import pytest

from broker.api.handlers.transactions.transaction_errors import as_old_error
from protocol.errors import ErrorCode


@pytest.mark.parametrize("version", range(6))
def test_fenced_producers_have_an_error_of_their_own_since_v2(version: int) -> None:
    """Other errors are the same in all versions."""
    older, newer = ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.PRODUCER_FENCED

    assert as_old_error(newer, version) is (older if version < 2 else newer)
    assert as_old_error(ErrorCode.NONE, version) is ErrorCode.NONE
