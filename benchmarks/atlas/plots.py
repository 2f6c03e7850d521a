"""Draws the plot of an experiment as an SVG that is readable in light and in dark mode.

matplotlib draws with the colours of the light mode. In its SVG they are replaced by variables of a
style sheet, whose values depend on the mode of the reader's browser.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.atlas.experiment import Experiment

# Variable, colour in light mode, colour in dark mode.
_COLOURS = (
    ("page", "#ffffff", "#161b22"),
    ("ink", "#1b1f24", "#e6edf3"),
    ("axis", "#57606a", "#8b949e"),
    ("grid", "#d8dee4", "#30363d"),
    ("one", "#0969da", "#58a6ff"),
    ("two", "#bc4c00", "#f0883e"),
    ("three", "#1a7f37", "#56d364"),
    ("four", "#8250df", "#bc8cff"),
    ("five", "#9a6700", "#e3b341"),
)
_LIGHT = {name: light for name, light, _ in _COLOURS}
_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": _LIGHT["ink"],
    "axes.labelcolor": _LIGHT["ink"],
    "axes.edgecolor": _LIGHT["axis"],
    "axes.facecolor": _LIGHT["page"],
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=[light for _, light, _ in _COLOURS[4:]]),
    "figure.facecolor": _LIGHT["page"],
    "grid.color": _LIGHT["grid"],
    "xtick.color": _LIGHT["axis"],
    "xtick.labelcolor": _LIGHT["ink"],
    "ytick.color": _LIGHT["axis"],
    "ytick.labelcolor": _LIGHT["ink"],
    "legend.frameon": False,
    "svg.fonttype": "none",  # text remains text
    "svg.hashsalt": "antechamber",  # the same ids in each run
}


def draw(experiment: Experiment[Any], rows: list[Any]) -> str:
    """Return the SVG of the plot of *rows*, with the experiment's title for screen readers."""
    return draw_plot(experiment.title, lambda axes: experiment.plot(axes, rows), (6.4, 3.6))


def draw_plot(title: str, plot: Callable[[Axes], None], inches: tuple[float, float]) -> str:
    """Return the SVG of what *plot* draws, with the title for screen readers."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=inches, layout="constrained")
        plot(figure.add_subplot())
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return _with_modes(file.getvalue(), title)


def _with_modes(svg: str, title: str) -> str:
    """Replace the colours by variables, and add the style sheet that defines them."""
    light = "".join(f"--{name}:{colour};" for name, colour, _ in _COLOURS)
    dark = "".join(f"--{name}:{colour};" for name, _, colour in _COLOURS)
    for name, colour, _ in _COLOURS:
        svg = svg.replace(colour, f"var(--{name})")
    style = (
        f"<title>{escape(title)}</title>\n<style>:root{{{light}}}\n"
        f"@media (prefers-color-scheme: dark){{:root{{{dark}}}}}</style>\n"
    )
    return re.sub(r"(<svg [^>]*>\n)", lambda tag: tag[1] + style, svg, count=1)
