"""Draws one wheel of a timer as a ring of buckets, in lines of text.

The first bucket of the array is at the top, and the others follow clockwise. A bucket is a dot, or
the symbol of what it holds; the bucket of the current tick is a small circle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count, zip_longest
from math import cos, pi, sin
from typing import Any

EMPTY, CURRENT = "·", "∘"
_ASPECT = 2.3  # the height of a character cell, in widths
_GAP = 4

Symbol = Callable[[Mapping[str, int]], str]


def ring(level: Mapping[str, Any], number: int, symbol: Symbol) -> list[str]:
    """Return the lines of one level of a timer snapshot, all of equal length.

    *symbol* returns one character for the tasks of a bucket.
    """
    radius = _radius(level["wheel_size"])
    width, height = 2 * round(_ASPECT * radius) + 1, 2 * radius + 1
    cells = [[" "] * width for _ in range(height)]
    symbols = {bucket["index"]: symbol(bucket["tasks"]) for bucket in level["buckets"]}
    for index, (x, y) in enumerate(_positions(level["wheel_size"], radius)):
        here = CURRENT if index == level["current_index"] else EMPTY
        cells[y][x] = symbols.get(index, here)
    for line, text in ((radius - 1, f"level {number}"), (radius, duration(level["tick_ms"]))):
        start = (width - len(text)) // 2
        cells[line][start : start + len(text)] = text
    return ["".join(line) for line in cells]


def side_by_side(rings: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Return the lines of *rings* in rows, as many rings a row as fit into *columns*."""
    lines: list[str] = []
    row: list[Sequence[str]] = []
    for each in rings:
        used = sum(len(drawn[0]) + _GAP for drawn in row)
        if row and used + len(each[0]) > columns:
            lines += [*_joined(row), ""]
            row = []
        row.append(each)
    return lines + _joined(row)


def duration(ms: float) -> str:
    """A tick in the largest unit in which it is a whole number: ``20 ms``, ``8 s``."""
    for unit, size in (("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if ms and ms % size == 0:
            return f"{ms // size:,} {unit}"
    return f"{ms:,} ms"


def _joined(row: Sequence[Sequence[str]]) -> list[str]:
    """The lines of rings of different heights, side by side."""
    widths = [len(drawn[0]) for drawn in row]
    return [
        (" " * _GAP)
        .join(line.ljust(width) for line, width in zip(lines, widths, strict=True))
        .rstrip()
        for lines in zip_longest(*row, fillvalue="")
    ]


@cache
def _radius(buckets: int) -> int:
    """The smallest radius, in lines, with room for the text and a place for each bucket."""
    for radius in count(4):
        if len({*_positions(buckets, radius)}) == buckets:
            return radius
    raise AssertionError


def _positions(buckets: int, radius: int) -> list[tuple[int, int]]:
    """The column and line of each bucket, clockwise from the top."""
    angles = [2 * pi * index / buckets for index in range(buckets)]
    middle = round(_ASPECT * radius)
    return [
        (middle + round(_ASPECT * radius * sin(angle)), radius - round(radius * cos(angle)))
        for angle in angles
    ]
