"""Tables of the generated pages."""

from __future__ import annotations

from collections.abc import Iterable

GENERATED = "<!-- written by `make docs`; change the code instead -->\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str | None, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)
