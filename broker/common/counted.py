"""The words for a number of things in messages."""

from __future__ import annotations


def counted(count: int, unit: str) -> str:
    """A number and its unit, such as ``1 partition`` or ``2 partitions``."""
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
