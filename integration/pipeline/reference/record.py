"""What several tables say about a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]
Row = dict[str, Any]

PHASES = ("queued", "local", "parked", "send", "total")


def window(us: int, window_s: int) -> int:
    """The beginning of the window in which a moment is."""
    return us - us % (window_s * 1_000_000)


def partitions(record: Record) -> list[Record]:
    """The partitions that a request names."""
    return record.get("partitions") or []


def cause(record: Record) -> str:
    """What ended the request."""
    return str((record.get("completed_by") or {}).get("cause") or "unknown")


def is_parked(record: Record) -> bool:
    """Whether the request waited in a purgatory."""
    return record.get("purgatory") is not None


def is_refused(record: Record) -> bool:
    """Whether the response as a whole has an error."""
    return bool(record.get("error"))


def has_failed(record: Record) -> bool:
    """Whether the response or one of its partitions has an error."""
    return is_refused(record) or any(place.get("error") for place in partitions(record))


def last_wait_us(record: Record) -> int:
    """The time of the last wait, without those before it."""
    earlier = record.get("earlier_waits") or []
    return int(max(0, record["parked_us"] - sum(wait.get("parked_us") or 0 for wait in earlier)))


def scoped(record: Record) -> Iterator[tuple[Row, bool]]:
    """The scopes in which a request counts, and whether it has failed there."""
    yield {"scope": "request", "topic": None, "partition": None}, has_failed(record)
    for place in partitions(record):
        if place.get("topic") is not None:
            where = {"topic": place["topic"], "partition": place.get("partition")}
            yield {"scope": "partition", **where}, is_refused(record) or bool(place.get("error"))
