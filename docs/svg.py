"""SVG pictures of the documentation: boxes, lines, arcs and text.

Colours are classes of a style sheet inside the picture. It has a light and a dark variant, from
which the reader's browser chooses. Each has its own background and is readable on any page.
"""

from __future__ import annotations

from html import escape
from math import cos, pi, sin
from typing import Literal

Anchor = Literal["start", "middle", "end"]

_STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1b1f24; }
text.small { font-size: 11px; }
text.strong { font-weight: 600; }
text.code { font-family: ui-monospace, monospace; font-size: 12px; }
.page { fill: #ffffff; stroke: #d0d7de; }
.box { fill: #eef2f6; stroke: #57606a; }
.mark { fill: #ffd58a; stroke: #9a6700; }
.done { fill: #b4e4bf; stroke: #1a7f37; }
.line { fill: none; stroke: #57606a; stroke-width: 1.5; }
.path { fill: none; stroke: #9a6700; stroke-width: 2; }
.dash { stroke-dasharray: 4 4; }
.tip { fill: #57606a; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .page { fill: #161b22; stroke: #30363d; }
  .box { fill: #262c36; stroke: #8b949e; }
  .mark { fill: #7a4f00; stroke: #e3b341; }
  .done { fill: #1f5c30; stroke: #56d364; }
  .line { stroke: #8b949e; }
  .path { stroke: #e3b341; }
  .tip { fill: #8b949e; }
}"""


class Svg:
    """A picture of *width* by *height* pixels; *title* is its text for screen readers."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img">\n'
            f"<title>{escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n"
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto-start-reverse"><path class="tip" d="M0 0 8 4 0 8z"/>'
            "</marker></defs>\n"
        )
        self._shapes: list[str] = []
        self.box(0.5, 0.5, width - 1, height - 1, kind="page")

    def box(
        self, x: float, y: float, width: float, height: float, *label: str, kind: str = "box"
    ) -> None:
        """Draw a box with lines of text in its middle."""
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        self._shapes.append(f'<rect class="{kind}" {place} rx="5"/>')
        top = y + height / 2 - 8 * (len(label) - 1) + 4.5
        for number, line in enumerate(label):
            self.text(x + width / 2, top + 16 * number, line, anchor="middle")

    def text(
        self, x: float, y: float, line: str, *, anchor: Anchor = "start", kind: str = ""
    ) -> None:
        """Write one line; *y* is its base line."""
        self._shapes.append(
            f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(line)}</text>'
        )

    def line(self, *points: tuple[float, float], kind: str = "line", arrow: bool = True) -> None:
        """Draw a line through the points, by default with an arrow head at its end."""
        steps = " ".join(f"{x:g} {y:g}" for x, y in points)
        head = ' marker-end="url(#tip)"' if arrow else ""
        self._shapes.append(f'<path class="{kind}" d="M{steps}"{head}/>')

    def sector(
        self,
        centre: tuple[float, float],
        radii: tuple[float, float],
        turns: tuple[float, float],
        kind: str = "box",
    ) -> None:
        """Draw a piece of a ring between two radii and two turns, from 0 (top) to 1, clockwise."""
        inner, outer = radii
        begin, end = turns
        (ax, ay), (bx, by) = (on_circle(centre, outer, turn) for turn in turns)
        (cx, cy), (dx, dy) = (on_circle(centre, inner, turn) for turn in (end, begin))
        large = int(end - begin > 0.5)
        self._shapes.append(
            f'<path class="{kind}" d="M{ax:.1f} {ay:.1f}A{outer:g} {outer:g} 0 {large} 1 '
            f"{bx:.1f} {by:.1f}L{cx:.1f} {cy:.1f}A{inner:g} {inner:g} 0 {large} 0 "
            f'{dx:.1f} {dy:.1f}z"/>'
        )

    def __str__(self) -> str:
        return self._head + "\n".join(self._shapes) + "\n</svg>\n"


def on_circle(centre: tuple[float, float], radius: float, turn: float) -> tuple[float, float]:
    """Return the point at *turn* of a circle, from 0 (top) to 1, clockwise."""
    angle = 2 * pi * turn
    return centre[0] + radius * sin(angle), centre[1] - radius * cos(angle)
