"""Percentiles of each phase: a lane from p50 to the maximum on a logarithmic axis.

Means are not shown: a mean of times that differ by factors of thousand describes no request, and
percentiles of phases do not add up to those of the total.
"""

from __future__ import annotations

from pipeline.report.findings import Findings, Series
from pipeline.report.markup import element, text
from pipeline.report.scales import LogScale
from pipeline.report.words import series, span

SERIES_SHOWN = 10
PHASES = (
    ("queued", "queued"),
    ("local", "handler"),
    ("parked", "parked"),
    ("send", "send"),
    ("total", "total"),
)


def phase_lanes(one: Findings) -> str:
    """A group of lanes for each of the busiest APIs, on one axis."""
    shown = one.series[:SERIES_SHOWN]
    longest = max((each.longest_us["total"] for each in shown), default=1)
    scale = LogScale(10.0, max(10_000.0, longest * 1.1))
    axis = "".join(text("span", label, style=f"left:{at:.2%}") for at, label in scale.ticks())
    groups = "".join(_group(each, scale) for each in shown)
    top = element("div", axis, class_="lane-axis", aria_hidden="true")
    return element("div", top, groups, class_="phases")


def _group(each: Series, scale: LogScale) -> str:
    lanes = "".join(_lane(each, phase, name, scale) for phase, name in PHASES)
    title = text("h3", f"{series(each.api, each.role)}: {each.count:,} requests")
    return element("div", title, lanes, class_="phase-group")


def _lane(each: Series, phase: str, name: str, scale: LogScale) -> str:
    values = each.quantiles(phase)
    words = ", ".join(f"{_percentile(key)} {span(us)}" for key, us in values.items())
    if values["max"] < 10:
        picture = text("em", "always below 10 µs")
    else:
        picture = "".join(
            (
                _bar(scale, values["p50"], values["p90"], "near"),
                _bar(scale, values["p90"], values["p99"], "far"),
                _bar(scale, values["p99"], values["max"], "rare"),
                element("i", class_="median", style=f"left:{scale.at(values['p50']):.2%}"),
            )
        )
    return element(
        "div",
        text("span", name),
        element("div", picture, class_=f"lane phase-{phase}", title=words),
        text("span", f"p50 {span(values['p50'])}", class_="number"),
        text("span", f"p99 {span(values['p99'])}", class_="number"),
        class_="phase",
        tabindex="0",
        aria_label=f"{name}: {words}",
    )


def _bar(scale: LogScale, begin: float, end: float, what: str) -> str:
    left, right = scale.at(begin), scale.at(end)
    return element("i", class_=what, style=f"left:{left:.2%};width:{right - left:.2%}")


def _percentile(name: str) -> str:
    return name.replace("_", ".")
