"""The order of Java's strings, and their white space."""

from __future__ import annotations

from typing import Final

_TRIMMED: Final = "".join(map(chr, range(ord(" ") + 1)))


def java_order(text: str) -> bytes:
    """A key that sorts strings as ``String.compareTo`` does, by UTF-16 units."""
    return text.encode("utf-16-be", "surrogatepass")


def trimmed(text: str) -> str:
    """Remove what ``String.trim`` removes: spaces and control characters, of ASCII only."""
    return text.strip(_TRIMMED)
