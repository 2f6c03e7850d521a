"""`waits`: requests, share parked, timeouts and failures by window, API and partition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from integration.pipeline.reference.record import Record, Row, cause, is_parked, scoped, window

KEY = ("scope", "window", "api", "topic", "partition")


def waits(records: Iterable[Record], window_s: int) -> list[Row]:
    """The rows of the table."""
    requests, parked, timeouts, failures = (Counter[tuple[object, ...]]() for _ in range(4))
    for record in records:
        begin = window(record["arrived_us"], window_s)
        for scope, has_failed in scoped(record):
            key = (scope["scope"], begin, record["api"], scope["topic"], scope["partition"])
            requests[key] += 1
            parked[key] += is_parked(record)
            timeouts[key] += cause(record) == "timeout"
            failures[key] += has_failed
    return [
        {
            **dict(zip(KEY, key, strict=True)),
            "requests": count,
            "parked": parked[key],
            "parked_share": parked[key] / count,
            "timeouts": timeouts[key],
            "failed": failures[key],
        }
        for key, count in requests.items()
    ]
