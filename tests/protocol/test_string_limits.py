"""Tests of the maximum length of a string."""

from __future__ import annotations

import pytest

from protocol.string_limits import (
    REPLACEABLE_BYTES_MAX,
    STRING_BYTES_MAX,
    StringTooLong,
    Unencodable,
    check_replaced,
    refuse_text,
)
from protocol.varints import Malformed

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def test_a_string_stays_writable_when_all_its_bytes_are_replaced() -> None:
    """Only strings of more than a third of the limit must be checked."""
    check_replaced(REPLACEMENT * REPLACEABLE_BYTES_MAX)
    check_replaced("x" * STRING_BYTES_MAX)

    with pytest.raises(Malformed, match="exceeds the maximum size"):
        check_replaced(REPLACEMENT * (REPLACEABLE_BYTES_MAX + 1))


def test_a_string_that_is_too_long_is_unencodable() -> None:
    """StringTooLong is an Unencodable that callers can distinguish from others, which are bugs."""
    with pytest.raises(StringTooLong, match="40000 bytes exceeds the maximum of 32767"):
        refuse_text(bytes(40_000))
    assert issubclass(StringTooLong, Unencodable)
