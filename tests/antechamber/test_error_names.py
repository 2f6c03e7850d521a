"""Error codes by name."""

from __future__ import annotations

from antechamber.error_names import told
from protocol.errors import ErrorCode


def test_they_are_those_of_the_protocol() -> None:
    """Each of them, and no other."""
    assert [told(code) for code in ErrorCode] == [
        f"error {int(code)} ({code.name})" for code in ErrorCode
    ]
    assert told(max(ErrorCode) + 1) == f"error {max(ErrorCode) + 1}"
    assert told(-2) == "error -2"
