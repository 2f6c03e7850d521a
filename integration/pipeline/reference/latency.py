"""`latency`: the phases of requests by window, API, partition and cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from integration.pipeline.reference import percentiles
from integration.pipeline.reference.record import PHASES, Record, Row, cause, scoped, window


def latency(records: Iterable[Record], window_s: int) -> list[Row]:
    """The rows of the table."""
    return percentiles.rows(_values(records, window_s))


def _values(records: Iterable[Record], window_s: int) -> Iterator[tuple[Row, int]]:
    for record in records:
        begin = window(record["arrived_us"], window_s)
        for scope, _ in scoped(record):
            key = {**scope, "window": begin, "api": record["api"], "cause": cause(record)}
            for phase in PHASES:
                yield {**key, "phase": phase}, record[f"{phase}_us"]
