"""Findings with given times, without tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pipeline.computation.histogram import bucket_of, middle_of
from pipeline.report.causes import Causes
from pipeline.report.findings import Api, Findings


def api(name: str, times_us: Sequence[int]) -> Api:
    """An API whose requests took these times, none of them parked."""
    counts = Counter(map(bucket_of, times_us))
    histogram = [(middle_of(bucket), counts[bucket]) for bucket in sorted(counts)]
    mean = sum(times_us) / len(times_us)
    return Api(name, len(times_us), {"total": mean}, histogram, max(times_us))


def findings(name: str, *apis: Api) -> Findings:
    """A set of these APIs."""
    return Findings(
        name=name,
        malformed=0,
        apis=list(apis),
        series=[],
        bin_s=60,
        over_time={},
        lag={},
        top=[],
        deliveries=[],
        clients=[],
        blame=Causes(),
    )
