"""`clients`: requests of each client, and their times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from integration.pipeline.reference.record import (
    Record,
    Row,
    cause,
    has_failed,
    is_parked,
    window,
)

KEY = ("window", "client_id", "principal", "listener", "api")


def clients(records: Iterable[Record], window_s: int) -> list[Row]:
    """The rows of the table."""
    by_client: dict[tuple[object, ...], list[Record]] = defaultdict(list)
    for record in records:
        name = [record.get(field) for field in KEY[1:]]
        by_client[(window(record["arrived_us"], window_s), *name)].append(record)
    return [
        {**dict(zip(KEY, key, strict=True)), **_counted(found)} for key, found in by_client.items()
    ]


def _counted(records: list[Record]) -> Row:
    return {
        "requests": len(records),
        "parked": sum(map(is_parked, records)),
        "timeouts": sum(cause(record) == "timeout" for record in records),
        "failed": sum(map(has_failed, records)),
        "parked_us": sum(record["parked_us"] for record in records),
        "total_us": sum(record["total_us"] for record in records),
        "longest_us": max(record["total_us"] for record in records),
    }
