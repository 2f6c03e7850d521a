"""Exceptions that no handler of the admin interface expects."""

from __future__ import annotations

import pytest

from broker.admin.errors import AdminErrors


def test_an_error_is_logged_and_counted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With its traceback; control characters that a client has sent are escaped."""
    monkeypatch.delenv("ANTECHAMBER_STRICT", raising=False)
    errors = AdminErrors()

    errors.report("the admin request GET /\x1b[2J", ZeroDivisionError("by zero"))

    assert errors.count == 1
    assert r"unexpected error: the admin request GET /\x1b[2J failed" in caplog.text
    assert "    ZeroDivisionError: by zero" in caplog.text


def test_in_strict_mode_an_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not counted."""
    monkeypatch.setenv("ANTECHAMBER_STRICT", "1")
    errors = AdminErrors()

    with pytest.raises(ZeroDivisionError):
        errors.report("a request", ZeroDivisionError())
    assert errors.count == 0
