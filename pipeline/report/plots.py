"""The plots: matplotlib figures as SVG texts that can be embedded in a page."""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import dates
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from pipeline.histogram import middle_of
from pipeline.report.findings import APIS_SHOWN, Api, Findings

COLOURS = ("#2563ab", "#d9822b", "#2a9d6f", "#b23a6b", "#7a5cc0", "#8a8d3a", "#4fb0c6", "#6b7280")
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#9aa3ad",
    "axes.labelcolor": "#3a434d",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e8ebef",
    "xtick.color": "#3a434d",
    "ytick.color": "#3a434d",
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "svg.hashsalt": "antechamber",  # makes the page reproducible
}
_WIDE, _SHORT = (10.0, 3.9), (10.0, 3.0)
_PERCENTILES = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)


def percentile_curves(sets: Sequence[Findings]) -> str:
    """Total time by percentile, a line for each busy API; the axis expands towards 100 %."""
    figure, axes = _figure(_WIDE)
    names = [api.name for api in itertools.chain(*(one.apis[: len(COLOURS)] for one in sets))]
    colours = dict(zip(dict.fromkeys(names), itertools.cycle(COLOURS), strict=False))
    furthest = 10.0
    for style, one in zip(("-", "--"), sets, strict=False):
        for api in one.apis[: len(COLOURS)]:
            x, y = _curve(api)
            furthest = max(furthest, x[-1])
            whose = f" · {one.name}" if len(sets) > 1 else ""
            label = f"{api.name}{whose} ({api.count:,})"
            axes.step(
                x, y, style, where="post", color=colours[api.name], label=label, linewidth=1.6
            )
    axes.set_xscale("log")
    axes.set_xlim(1, furthest * 1.3)
    shown = [share for share in _PERCENTILES if 1 / (1 - share) <= furthest * 1.3]
    axes.set_xticks([1 / (1 - share) for share in shown], [f"{100 * p:.6g} %" for p in shown])
    axes.minorticks_off()
    _latency_axis(axes)
    axes.set_xlabel("share of requests with at most this time")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=9)
    return _svg(figure)


def latency_over_time(one: Findings) -> str:
    """A heat map of all requests: time, total time, and the number of requests as colour."""
    figure, axes = _figure(_WIDE)
    bins = _all_bins(one)
    edges = np.geomspace(10, max(1e4, *(middle_of(b) for _, b in one.over_time)) * 1.1, 60)
    heat = np.zeros((len(edges) - 1, len(bins)))
    column = {moment: i for i, moment in enumerate(bins)}
    for (moment, bucket), count in one.over_time.items():
        row = int(np.clip(np.searchsorted(edges, middle_of(bucket)) - 1, 0, len(edges) - 2))
        heat[row, column[moment]] += count
    x = [*bins, bins[-1] + timedelta(seconds=one.bin_s)]
    mesh = axes.pcolormesh(
        _days(x),
        edges / 1000,
        np.ma.masked_equal(heat, 0),
        norm=LogNorm(1, max(heat.max(), 2)),
        cmap="viridis_r",
        rasterized=True,
    )
    _time_axis(axes)
    _latency_axis(axes)
    axes.grid(visible=False)
    figure.colorbar(mesh, ax=axes, pad=0.01, label=f"requests in {_span(one.bin_s)}")
    return _svg(figure)


def causes_over_time(one: Findings) -> str:
    """The causes of completion over time, stacked."""
    figure, axes = _figure(_SHORT)
    bins = _all_bins(one)
    sums: dict[str, int] = {}
    for (_, cause), count in one.causes.items():
        sums[cause] = sums.get(cause, 0) + count
    bottom = np.zeros(len(bins))
    width = one.bin_s / 86_400
    for cause, colour in zip(
        sorted(sums, key=lambda name: -sums[name]), itertools.cycle(COLOURS), strict=False
    ):
        heights = np.array([one.causes.get((moment, cause), 0) for moment in bins], dtype=float)
        label = f"{cause} ({sums[cause]:,})"
        x = _days(bins)
        axes.bar(x, heights, width, bottom, align="edge", color=colour, label=label)
        bottom += heights
    _time_axis(axes)
    axes.margins(x=0)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel(f"requests in {_span(one.bin_s)}")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=9)
    return _svg(figure)


def parked_against_lag(one: Findings) -> str:
    """The time for which produces were parked, by the lag of the high watermark in records."""
    figure, axes = _figure(_WIDE)
    lags = np.array([lag for lag, _ in one.lag])
    waits = np.array([max(wait, 10.0) for _, wait in one.lag])
    counts = np.array(list(one.lag.values()))
    x = np.concatenate([[0], np.geomspace(1, max(8.0, lags.max() * 1.1), 32)])
    y = np.geomspace(10, max(1e4, waits.max() * 1.1), 48)
    heat, _, _ = np.histogram2d(lags, waits, bins=[x, y], weights=counts)
    mesh = axes.pcolormesh(
        x,
        y / 1000,
        np.ma.masked_equal(heat.T, 0),
        norm=LogNorm(1, max(heat.max(), 2)),
        cmap="magma_r",
        rasterized=True,
    )
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(0, x[-1])
    axes.xaxis.set_major_formatter("{x:,.0f}")
    _latency_axis(axes, "parked, ms")
    axes.grid(visible=False)
    axes.set_xlabel("lag of the high watermark at the beginning of the wait, in records")
    figure.colorbar(mesh, ax=axes, pad=0.01, label="produces")
    return _svg(figure)


def phases(one: Findings) -> str:
    """The mean time of each phase of each API, as stacked bars."""
    apis = one.apis[:APIS_SHOWN][::-1]
    figure, axes = _figure((10.0, 0.9 + 0.42 * len(apis)))
    left = np.zeros(len(apis))
    for phase, colour in zip(("queued", "local", "parked", "send"), COLOURS, strict=False):
        widths = np.array([api.phases.get(phase, 0.0) / 1000 for api in apis])
        axes.barh([api.name for api in apis], widths, left=left, color=colour, label=phase)
        left += widths
    axes.set_xlabel("mean time, ms")
    axes.grid(axis="y", visible=False)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=9)
    return _svg(figure)


def _curve(api: Api) -> tuple[list[float], list[float]]:
    """Return where each value begins as 1/(1 - share of smaller values), and the value in ms."""
    x, y, below = [], [], 0
    for value, count in api.histogram:
        x.append(api.count / (api.count - below))
        y.append(max(min(value, api.total["max"]), 1.0) / 1000)
        below += count
    return [*x, float(api.count)], [*y, y[-1]]


def _all_bins(one: Findings) -> list[datetime]:
    """Return all bins from the first to the last, including empty ones."""
    first, last = one.bins[0], one.bins[-1]
    count = int((last - first).total_seconds()) // one.bin_s + 1
    return [first + timedelta(seconds=i * one.bin_s) for i in range(count)]


def _figure(size: tuple[float, float]) -> tuple[Figure, Any]:
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        return figure, figure.add_subplot()


def _latency_axis(axes: Any, label: str = "total time, ms") -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.set_ylabel(label)


def _time_axis(axes: Any) -> None:
    axes.xaxis_date()
    locator = dates.AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    formatter = dates.ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(formatter)
    axes.set_xlabel("UTC")


def _days(moments: Sequence[datetime]) -> Any:
    return dates.date2num(moments)  # type: ignore[no-untyped-call]


def _span(seconds: int) -> str:
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _svg(figure: Figure) -> str:
    out = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(out, format="svg", metadata={"Date": None}, dpi=150)
    text = out.getvalue()
    return text[text.index("<svg") :]
