"""Describes ``/v1/timers``: the timing wheels."""

from __future__ import annotations

from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.schema import (
    COUNTS,
    INTEGER,
    NUMBER,
    STRING,
    array,
    nullable,
    record,
    ref,
)

TIMERS = Section(
    "timers",
    "The timing wheels.",
    {
        "/v1/timers": {
            "GET": Operation(
                "getTimers",
                "Return a snapshot of each timer: its wheels and their buckets in use.",
                record(timers=array(ref("Timer"))),
            )
        }
    },
    {
        "Timer": record(
            node=INTEGER,
            name=STRING,
            now_ms=NUMBER,
            size=INTEGER,
            next_expiration_ms=nullable(NUMBER),
            queued_buckets=INTEGER,
            demotions=INTEGER,
            levels=array(ref("TimerLevel")),
        ),
        "TimerLevel": record(
            tick_ms=NUMBER,
            wheel_size=INTEGER,
            current_time_ms=NUMBER,
            end_ms=NUMBER,
            current_index=INTEGER,
            buckets=array(record(index=INTEGER, at_ms=NUMBER, tasks=COUNTS)),
        ),
    },
)
