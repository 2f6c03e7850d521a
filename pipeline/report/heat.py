"""Heat maps: the number of requests in each place of two axes, as six shades of one colour.

A shade is one path of short lines, so that a map is small, and its colour is that of the page's
scheme.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from pipeline.report.markup import element

SHADES = 6
Cells = Mapping[tuple[int, int], int]  # (column, row from the bottom) -> number


def cells_picture(cells: Cells, rows: int) -> str:
    """The picture of *cells*, in units of cells."""
    most = max(cells.values(), default=1)
    shades: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, number in sorted(cells.items()):
        shades[_shade(number, most)].append(place)
    return "".join(
        element("path", class_=f"shade-{shade}", d=_lines(places, rows))
        for shade, places in sorted(shades.items())
    )


def _lines(places: list[tuple[int, int]], rows: int) -> str:
    return "".join(f"M{x} {rows - y - 0.5:.1f}h1" for x, y in places)


def _shade(number: int, most: int) -> int:
    """The shade of a number, from 0: logarithmic, because busy places are many times busier."""
    return min(SHADES - 1, math.floor(SHADES * math.log(number + 1) / math.log(most + 2)))


def values(cells: Cells) -> list[list[int]]:
    """The cells for the script of the page."""
    return [[x, y, number] for (x, y), number in sorted(cells.items())]
