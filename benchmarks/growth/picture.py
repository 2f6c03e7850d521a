"""The picture of a growth curve: the costs of one item against the size, from zero."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from benchmarks.atlas.plots import draw_plot
from benchmarks.growth.curve import Curve
from benchmarks.growth.page import Points

# Readable without enlargement on a screen that is 420 pixels wide.
_INCHES = (4.3, 3.4)
_ROOM_FOR_THE_LEGEND = 1.45


def picture(curve: Curve, points: Points) -> str:
    """Return the SVG."""

    def plot(axes: Axes) -> None:
        sizes = sorted({size for by_size in points.values() for size in by_size})
        highest = max(value for by_size in points.values() for value in by_size.values())
        for line, by_size in points.items():
            axes.plot(list(by_size), list(by_size.values()), marker="o", markersize=4, label=line)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=9)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_ylim(0, highest * _ROOM_FOR_THE_LEGEND)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.set_xlabel(curve.things)
        axes.set_ylabel("µs")
        axes.legend(loc="upper left", fontsize=9)

    return draw_plot(f"Costs against the number of {curve.things}", plot, _INCHES)
