"""Limits of a comparison, for checks in CI: how much slower the second set may be.

``p99=25%`` allows a quarter more, ``p99=5ms`` five milliseconds more. ``Produce:p99=25%`` is a
limit of one API.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line is parsed without Spark
    from pipeline.report.findings import Api, Findings

METRICS = ("p50", "p90", "p99", "p99.9", "max", "mean")
LEAST = 100  # an API with fewer requests in one of the sets has no reliable percentiles
_LIMIT = re.compile(r"(?:(\w+):)?(p50|p90|p99|p99\.9|max|mean)=(\d+(?:\.\d+)?)(%|ms)")


@dataclass(frozen=True)
class Limit:
    """The allowed increase of a metric: a share of the first value, or microseconds."""

    metric: str
    api: str | None
    share: float = 0.0
    us: float = 0.0

    def allowed_us(self, before_us: float) -> float:
        """The largest value that is allowed after *before_us*."""
        return before_us * (1 + self.share) + self.us


def limit(text: str) -> Limit:
    """The limit that *text* describes; raises `ValueError` if it describes none."""
    found = _LIMIT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not [API:]METRIC=NUMBER% or [API:]METRIC=NUMBERms")
    api, metric, number, unit = found.groups()
    if unit == "%":
        return Limit(metric, api, share=float(number) / 100)
    return Limit(metric, api, us=float(number) * 1000)


def exceeded(one: Findings, other: Findings, limits: Iterable[Limit], least: int) -> Iterator[str]:
    """A line for each limit that an API of *other* exceeds, compared with *one*.

    An API with fewer than *least* requests in one of them is not compared.
    """
    before = {api.name: api for api in one.apis if api.count >= least}
    after = {api.name: api for api in other.apis if api.count >= least}
    for each in limits:
        for name in sorted(before.keys() & after.keys()):
            if each.api in (None, name):
                old, new = (_value(which[name], each.metric) for which in (before, after))
                if new > each.allowed_us(old):
                    allowed = each.allowed_us(old)
                    yield (
                        f"{name} {each.metric}: {new / 1000:.3f} ms, before {old / 1000:.3f} ms;"
                        f" at most {allowed / 1000:.3f} ms is allowed"
                    )


def _value(api: Api, metric: str) -> float:
    return api.mean_us if metric == "mean" else api.total[metric.replace(".", "_")]
