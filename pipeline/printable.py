r"""Text of records, fit for terminals and pages.

The names in a record may be any text: their clients chose them, and who wrote the record may not
have escaped them. The tables keep them as they came.
"""

from __future__ import annotations

from typing import Any


def printable(text: str) -> str:
    r"""*text* with every character escaped that is not printable: ``\x1b``, ``\n``, ``\u202e``."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def printable_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose texts are printable."""
    return {name: printable(v) if isinstance(v, str) else v for name, v in row.items()}
