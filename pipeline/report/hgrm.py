"""Percentile distributions in the text format of HdrHistogram (``.hgrm``), of the total time in ms.

HdrHistogram's plotter and the tools of the OpenMessaging benchmark read it. The lines are those of
`outputPercentileDistribution`: the percentiles approach 1 with five steps for each halving of the
remaining distance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from pipeline.computation.histogram import OCTAVE
from pipeline.errors import PipelineError
from pipeline.report.findings import Api, Findings

_STEPS = 5  # for each halving of the distance to 1
_HEAD = f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}\n\n"


def write_histograms(folder: str, found: Findings) -> None:
    """Write ``API.hgrm`` for each API into *folder*.

    Raises `PipelineError` if that is impossible.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for api in found.apis:
            name = "".join(letter if letter.isalnum() else "_" for letter in api.name)
            Path(folder, f"{name}.hgrm").write_text(distribution(api), encoding="utf-8")
    except OSError as error:
        raise PipelineError(f"--hgrm {folder}: {error.strerror}") from None


def distribution(api: Api) -> str:
    """The percentiles of the total time of *api*, with mean, deviation, maximum and count."""
    lines = [
        f"{value:12.3f} {share:2.12f} {count:10d} {1 / (1 - share):14.2f}"
        if share < 1
        else f"{value:12.3f} {share:2.12f} {count:10d}"
        for value, share, count in _lines(api)
    ]
    mean = sum(value * count for value, count in api.histogram) / api.count
    variance = sum((value - mean) ** 2 * count for value, count in api.histogram) / api.count
    longest = api.longest_us / 1000
    return (
        _HEAD
        + "".join(f"{line}\n" for line in lines)
        + f"#[Mean    = {mean / 1000:12.3f}, StdDeviation   = {math.sqrt(variance) / 1000:12.3f}]\n"
        + f"#[Max     = {longest:12.3f}, Total count    = {api.count:12d}]\n"
        + f"#[Buckets = {len(api.histogram):12d}, SubBuckets     = {OCTAVE:12d}]\n"
    )


def _lines(api: Api) -> Iterator[tuple[float, float, int]]:
    """Value in ms, percentile as a share, and the number of requests up to that value."""
    share, reached = 0.0, 0
    for value, count in api.histogram:
        reached += count
        ms = min(value, float(api.longest_us)) / 1000
        if reached == api.count:
            break
        while share <= reached / api.count:
            yield ms, share, reached
            halvings = math.floor(math.log2(1 / (1 - share))) + 1
            share += 1 / (_STEPS * 2**halvings)
    yield api.longest_us / 1000, 1.0, api.count
