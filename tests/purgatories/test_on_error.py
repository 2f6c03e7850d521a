"""Tests of the default report of exceptions."""

from __future__ import annotations

import pytest

from purgatories.on_error import log_error


def test_an_error_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """By default an exception is logged with its traceback."""
    try:
        raise ZeroDivisionError
    except ZeroDivisionError as error:
        log_error("the task", error)

    (record,) = caplog.records
    assert record.getMessage() == "the task failed"
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError
