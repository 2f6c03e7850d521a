"""The order of Java's strings."""

from __future__ import annotations


def java_order(text: str) -> bytes:
    """A key that sorts strings as ``String.compareTo`` does, by UTF-16 units."""
    return text.encode("utf-16-be", "surrogatepass")
