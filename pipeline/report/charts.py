"""The frame of a chart: a picture that stretches, labels that do not, and a readout.

The labels are HTML beside the picture, so that they can be read at any width. The script of the
page moves a cursor over columns, and rows if there are any, by pointer and by arrow keys, and shows
the text of the place in the readout.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.report.markup import data, element, text
from pipeline.report.scales import Tick

HINT = "Point at a chart, or focus it and use the arrow keys, to read values."


def chart(
    name: str,
    picture: str,
    *,
    size: tuple[float, float],
    x_ticks: Sequence[Tick],
    y_ticks: Sequence[Tick],
    x_title: str,
    y_title: str,
    places: dict[str, object],
    height_rem: float = 12,
) -> str:
    """A chart; *picture* is SVG in units of *size*, *places* is what the script reads.

    *places* has ``columns`` and ``texts``, a text of each; or ``columns`` and ``rows``, the labels
    of both, ``values`` (column, row, value) and ``unit``, with row 0 at the bottom.
    """
    width, height = size
    svg = element(
        "svg",
        picture,
        viewBox=f"0 0 {width:.6g} {height:.6g}",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    lines = "".join(element("i", class_="rule", style=f"bottom:{at:.2%}") for at, _ in y_ticks)
    plot = element(
        "div",
        lines,
        svg,
        element("i", class_="cursor", hidden="hidden"),
        class_="plot",
        style=f"height:{height_rem}rem",
        tabindex="0",
        role="group",
        aria_label=f"{name}. {HINT}",
        data_places=data(places),
    )
    y = "".join(text("span", label, style=f"bottom:{at:.2%}") for at, label in y_ticks)
    x = "".join(text("span", label, style=f"left:{at:.2%}") for at, label in x_ticks)
    return element(
        "figure",
        text("p", y_title, class_="unit"),
        element("div", y, class_="y", aria_hidden="true"),
        plot,
        element("div", x, class_="x", aria_hidden="true"),
        text("p", x_title, class_="unit end"),
        element("output", class_="readout"),
        class_="chart",
    )


def legend(entries: Sequence[tuple[str, str]]) -> str:
    """Names of colours: the class of each colour, and its name."""
    items = (
        element("li", element("i", class_=f"key {colour}"), text("span", name))
        for colour, name in entries
    )
    return element("ul", *items, class_="legend")
