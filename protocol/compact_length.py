"""Reads the compact lengths of strings, bytes and arrays: varints plus one, so that 0 is null."""

from __future__ import annotations

from typing import Final

from protocol.string_limits import STRING_BYTES_MAX
from protocol.varints import Malformed, read_uvarint

_INT32_MIN: Final = -(2**31)
_INT32_MAX: Final = 2**31 - 1


def read_long(buf: memoryview, pos: int) -> tuple[int, int]:
    """Read a compact length; one is subtracted as in Java: the smallest number becomes the largest.

    Raises `Malformed`.
    """
    value, pos = read_uvarint(buf, pos)
    return _INT32_MAX if value == _INT32_MIN else value - 1, pos


def read_long_of_text(buf: memoryview, pos: int) -> tuple[int, int]:
    """Read the compact length of a string; raises `Malformed` if it is too long."""
    length, pos = read_long(buf, pos)
    if length > STRING_BYTES_MAX:
        raise Malformed(f"a string of {length} bytes")
    return length, pos
