"""Curves of the total time by percentile; the axis expands towards 100 %."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pipeline.computation.histogram import quantile_of
from pipeline.report.charts import chart, legend
from pipeline.report.findings import Findings, Series
from pipeline.report.markup import element
from pipeline.report.scales import LogScale, Tick
from pipeline.report.words import series, span

CURVES_SHOWN = 6
_STEPS = 72
_LABELLED = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)


def percentile_curves(sets: Sequence[Findings]) -> str:
    """A curve for each busy API; those of a second set are dashed."""
    names = list(dict.fromkeys(_key(each) for one in sets for each in one.series))[:CURVES_SHOWN]
    lines = [
        (one, each, f"curve-{names.index(_key(each))}", " dashed" if number else "")
        for number, one in enumerate(sets)
        for each in one.series
        if _key(each) in names
    ]
    most = max((each.count for _, each, *_ in lines), default=10)
    decades = max(1.0, math.log10(most))
    shares = [1 - 10 ** (-decades * step / _STEPS) for step in range(_STEPS + 1)]
    longest = max((each.longest_us["total"] for _, each, *_ in lines), default=1)
    scale = LogScale(10.0, max(10_000.0, longest * 1.1))
    drawn = "".join(
        element("path", class_=f"curve {colour}{dashed}", d=_path(each, shares, scale))
        for _, each, colour, dashed in lines
    )
    keys = [
        (f"{colour}{dashed}", _label(one, each, len(sets))) for one, each, colour, dashed in lines
    ]
    x_ticks: list[Tick] = [
        (-math.log10(1 - share) / decades, f"{100 * share:.6g} %")
        for share in _LABELLED
        if -math.log10(1 - share) <= decades
    ]
    return legend(keys) + chart(
        "Total time by percentile",
        drawn,
        size=(_STEPS, 100),
        x_ticks=x_ticks,
        y_ticks=scale.ticks(),
        x_title="share of requests with at most this time",
        y_title="total time",
        places={"columns": _STEPS + 1, "texts": [_text(lines, share, sets) for share in shares]},
    )


def _key(each: Series) -> tuple[str, str]:
    return (each.api, each.role)


def _label(one: Findings, each: Series, sets: int) -> str:
    whose = f" · {one.name}" if sets > 1 else ""
    return f"{series(each.api, each.role)}{whose} ({each.count:,})"


def _path(each: Series, shares: Sequence[float], scale: LogScale) -> str:
    points = [
        f"{step} {100 * (1 - scale.at(_at(each, share))):.4g}"
        for step, share in enumerate(shares)
        if share == 0 or each.count * (1 - share) >= 1
    ]
    return "M" + "L".join(points)


def _at(each: Series, share: float) -> float:
    longest = each.longest_us["total"]
    return min(quantile_of(each.phases["total"], max(share, 1e-9)), float(longest))


def _text(
    lines: Sequence[tuple[Findings, Series, str, str]], share: float, sets: Sequence[Findings]
) -> str:
    parts = (
        f"{series(each.api, each.role)}{f' · {one.name}' if len(sets) > 1 else ''}"
        f" {span(_at(each, share))}"
        for one, each, *_ in lines
        if each.count * (1 - share) >= 1
    )
    return f"{100 * share:.4g} % of requests take at most: {'; '.join(parts)}"
