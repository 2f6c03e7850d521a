"""`cells`: the histograms of `latency`, in which a request also counts at its first partition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from integration.pipeline.reference.percentiles import bucket
from integration.pipeline.reference.record import (
    PHASES,
    Record,
    Row,
    cause,
    has_failed,
    is_parked,
    is_refused,
    partitions,
    window,
)
from integration.pipeline.reference.roles import role

KEY = ("window", "api", "role", "topic", "partition", "cause", "phase", "bucket")


def cells(records: Iterable[Record], window_s: int) -> list[Row]:
    """The rows of the table; ``phase`` is the number of the phase."""
    found: dict[tuple[object, ...], list[tuple[Record, Record, bool, int]]] = defaultdict(list)
    for record in records:
        begin, places = window(record["arrived_us"], window_s), partitions(record) or [{}]
        for number, name in enumerate(PHASES):
            us = record[f"{name}_us"]
            for index, place in enumerate(places):
                where = (role(record), place.get("topic"), place.get("partition"))
                key = (begin, record["api"], *where, cause(record), number, bucket(us))
                found[key].append((record, place, index == 0, us))
    return [
        {**dict(zip(KEY, key, strict=True)), **_counted(values)} for key, values in found.items()
    ]


def _counted(values: list[tuple[Record, Record, bool, int]]) -> Row:
    first = [(record, us) for record, _, is_first, us in values if is_first]
    return {
        "count": len(values),
        "sum": sum(us for *_, us in values),
        "max": max(us for *_, us in values),
        "parked": sum(is_parked(record) for record, *_ in values),
        "failed": sum(
            is_refused(record) or bool(place.get("error")) for record, place, *_ in values
        ),
        "requests": len(first),
        "requests_sum": sum(us for _, us in first),
        "requests_parked": sum(is_parked(record) for record, _ in first),
        "requests_failed": sum(has_failed(record) for record, _ in first),
    }
