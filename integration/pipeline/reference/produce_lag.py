"""`produce_lag`: produces that waited for replicas, by how far behind and how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from integration.pipeline.reference.percentiles import bucket
from integration.pipeline.reference.record import Record, Row, last_wait_us


def produce_lag(records: Iterable[Record]) -> list[Row]:
    """The rows of the table; both numbers are buckets."""
    counts = Counter(
        (bucket(lag), bucket(last_wait_us(record)))
        for record in records
        if (lag := _lag(record)) is not None and lag >= 0
    )
    return [
        {"lag_bucket": lag, "parked_bucket": parked, "count": count}
        for (lag, parked), count in counts.items()
    ]


def _lag(record: Record) -> int | None:
    waited_for = record.get("waited_for") or {}
    need, had = waited_for.get("need"), waited_for.get("had")
    if record["api"] != "Produce" or waited_for.get("kind") != "high_watermark":
        return None
    return None if need is None or had is None else int(need - had)
