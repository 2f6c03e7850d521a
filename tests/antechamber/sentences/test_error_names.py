"""The names of error codes."""

from __future__ import annotations

from antechamber.sentences.error_names import format_code
from protocol.errors import ErrorCode


def test_the_names_equal_those_of_the_protocol() -> None:
    """Both have the same codes and the same names."""
    assert [format_code(code) for code in ErrorCode] == [
        f"error {int(code)} ({code.name})" for code in ErrorCode
    ]
    assert format_code(max(ErrorCode) + 1) == f"error {max(ErrorCode) + 1}"
    assert format_code(-2) == "error -2"
