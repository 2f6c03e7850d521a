"""The picture of a growth curve: the costs of one item against the size, on logarithmic axes."""

from __future__ import annotations

from itertools import cycle
from math import ceil, floor, log10

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from benchmarks.atlas.plots import draw_plot
from benchmarks.growth.curve import Curve
from benchmarks.growth.page import Points

# Readable without enlargement on a screen that is 420 pixels wide, with the legend above the axes.
_WIDTH_INCHES = 4.3
_AXES_INCHES = 2.8
_LEGEND_LINE_INCHES = 0.22
_MARKERS = "osD^vP"  # there are fewer colours than lines


def picture(curve: Curve, points: Points) -> str:
    """Return the SVG."""

    def plot(axes: Axes) -> None:
        sizes = sorted({size for by_size in points.values() for size in by_size})
        for marker, (line, by_size) in zip(cycle(_MARKERS), points.items(), strict=False):
            axes.plot(
                list(by_size), list(by_size.values()), marker=marker, markersize=4, label=line
            )
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=9)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_yscale("log")
        costs = [cost for by_size in points.values() for cost in by_size.values() if cost > 0]
        # Whole decades: on a shorter axis, noise would look like growth.
        axes.set_ylim(10 ** floor(log10(min(costs))), 10 ** ceil(log10(max(costs))))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_xlabel(curve.things)
        axes.set_ylabel("µs")
        axes.legend(loc="lower left", bbox_to_anchor=(-0.1, 1), fontsize=9)

    height = _AXES_INCHES + _LEGEND_LINE_INCHES * len(points)
    return draw_plot(f"Costs against the number of {curve.things}", plot, (_WIDTH_INCHES, height))
