"""Describes ``/v1/statistics`` and ``/metrics``: counts of the nodes and of what they share."""

from __future__ import annotations

from broker.admin.openapi.operation import Operation, Section
from broker.admin.openapi.schema import (
    COUNTS,
    INTEGER,
    NUMBER,
    STRING,
    array,
    nullable,
    one_of,
    record,
    ref,
)

_ERRORS = record(requests=COUNTS, others=INTEGER)
_STEP = record(
    ended_us=INTEGER,
    ms=INTEGER,
    task=STRING,
    api=nullable(STRING),
    version=nullable(INTEGER),
    client_id=nullable(STRING),
    correlation_id=nullable(INTEGER),
)
_SINK = record(
    {"path": STRING, "topic": STRING, "url": STRING},
    sink=one_of("file", "topic", "otlp"),
    written=INTEGER,
    dropped=INTEGER,
)

STATISTICS = Section(
    "statistics",
    "Counters and metrics.",
    {
        "/v1/statistics": {
            "GET": Operation(
                "getStatistics",
                "Return counts of the running nodes and of what they share.",
                ref("Statistics"),
            )
        },
        "/metrics": {
            "GET": Operation(
                "getMetrics",
                "Return metrics in Prometheus' text format.",
                STRING,
                content_type="text/plain",
            )
        },
    },
    {
        "Statistics": record(
            build=one_of("pure", "compiled"),
            nodes=array(ref("NodeStatistics")),
            unexpected_errors=_ERRORS,
            recording=nullable(
                record(
                    recorded=INTEGER,
                    kept=INTEGER,
                    outbox=nullable(record(pending=INTEGER, dropped=INTEGER, sinks=array(_SINK))),
                )
            ),
            steps=record(
                budget_ms=NUMBER, over_budget=INTEGER, longest_ms=INTEGER, last=array(_STEP)
            ),
            admin=record(unexpected_errors=INTEGER),
        ),
        "NodeStatistics": record(
            id=INTEGER,
            connections=INTEGER,
            fetch_sessions=INTEGER,
            following=INTEGER,
            purgatories=array(ref("PurgatoryStatistics")),
            timers=array(record(name=STRING, pending=INTEGER, next_step_ms=nullable(INTEGER))),
            transactions=record(
                open=INTEGER,
                unknown_destination_queue_size=INTEGER,
                log_append_retry_queue_size=INTEGER,
                verifications=INTEGER,
                verification_failures=INTEGER,
                verification_time_max_ms=nullable(NUMBER),
                partition_load_time_max_ms=nullable(NUMBER),
            ),
            unexpected_errors=_ERRORS,
        ),
        "PurgatoryStatistics": record(
            name=STRING,
            watched=INTEGER,
            num_delayed=INTEGER,
            watched_keys=INTEGER,
            estimated_total_operations=INTEGER,
            purges=INTEGER,
            expired=INTEGER,
            expired_by=COUNTS,
        ),
    },
)
