r"""Escapes text of records for terminals and pages.

Names in a record may be any text, because clients choose them and a foreign writer may not escape
them. The tables contain them unchanged.
"""

from __future__ import annotations

from typing import Any


def printable(text: str) -> str:
    r"""Return *text* with every unprintable character escaped: ``\x1b``, ``\n``, ``\u202e``."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def printable_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose texts are printable, also those in lists and objects."""
    return {name: _shown(value) for name, value in row.items()}


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return printable_row(value)
    return [*map(_shown, value)] if isinstance(value, list) else value
