"""The schemas of parked requests and of wait records."""

from __future__ import annotations

from broker.admin.openapi.cluster import NODE_STATE
from broker.admin.openapi.schema import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    Schema,
    array,
    nullable,
    one_of,
    record,
    ref,
)
from broker.wait_records.causes import CauseKind

_CLIENT: dict[str, Schema] = {
    "node": INTEGER,
    "connection": INTEGER,
    "client_id": nullable(STRING),
    "principal": STRING,
    "listener": STRING,
    "correlation_id": INTEGER,
    "api": STRING,
    "version": INTEGER,
    "arrived_us": INTEGER,
}
_WAIT: dict[str, Schema] = {
    "purgatory": nullable(STRING),
    "waited_for": nullable(ref("WaitedFor")),
    "timeout_ms": nullable(INTEGER),
    "checks": INTEGER,
}
_REPLICA = record(
    node=INTEGER,
    log_end_offset=INTEGER,
    behind=BOOLEAN,
    in_sync=BOOLEAN,
    caught_up_ms_ago=nullable(INTEGER),
    state=nullable(NODE_STATE),
)
_REQUEST = record(api=STRING, client_id=nullable(STRING), correlation_id=INTEGER)

PARKED_REQUEST = record(
    **_CLIENT,
    **_WAIT,
    parked_us=INTEGER,
    follower=BOOLEAN,
    remaining_ms=nullable(INTEGER),
    partitions=array(
        record(
            {
                "offset": INTEGER,
                "error": INTEGER,
                "needed_offset": INTEGER,
                "high_watermark": INTEGER,
                "log_end_offset": INTEGER,
                "replicas": array(_REPLICA),
            },
            topic=STRING,
            partition=INTEGER,
        )
    ),
)

RECORD_SCHEMAS: dict[str, Schema] = {
    "WaitRecord": record(
        {
            "traces": array(STRING),
            "unknown_topics": array(STRING),
            "preferred_read_replicas": array(INTEGER),
        },
        schema=INTEGER,
        **_CLIENT,
        queued_us=INTEGER,
        local_us=INTEGER,
        parked_us=INTEGER,
        send_us=INTEGER,
        total_us=INTEGER,
        **_WAIT,
        completed_by=ref("Cause"),
        earlier_waits=array(record(parked_us=INTEGER, **_WAIT, completed_by=ref("Cause"))),
        stalled_by=nullable(
            record(
                api=nullable(STRING),
                client_id=nullable(STRING),
                correlation_id=nullable(INTEGER),
                ms=INTEGER,
            )
        ),
        throttle=nullable(ref("Throttle")),
        muted_by=nullable(ref("Throttle")),
        fault=nullable(record(rule=INTEGER, name=nullable(STRING), action=STRING)),
        partitions=array(
            record(
                topic=STRING,
                partition=INTEGER,
                offset=INTEGER,
                records=INTEGER,
                bytes=INTEGER,
                error=INTEGER,
                high_watermark=INTEGER,
                log_end_offset=INTEGER,
            )
        ),
        error=INTEGER,
    ),
    # The fields besides `kind` depend on it: docs/reference/records.md.
    "WaitedFor": record(
        {
            "need": INTEGER,
            "had": INTEGER,
            "topic": STRING,
            "partition": INTEGER,
            "offset": INTEGER,
            "behind": array(INTEGER),
            "behind_at": array(INTEGER),
            "behind_states": array(nullable(NODE_STATE)),
            "group": nullable(STRING),
            "nodes": array(INTEGER),
            "transactional_id": nullable(STRING),
            "node": nullable(INTEGER),
            "state": STRING,
            "producer_epoch": INTEGER,
            "transaction": ref("WaitedForTransaction"),
            "faults": array(record(rule=INTEGER, name=nullable(STRING), action=STRING)),
            "throttled": array(record(topic=STRING, partition=INTEGER)),
            "effect": STRING,
            "rule": INTEGER,
            "name": nullable(STRING),
            "action": STRING,
        },
        kind=STRING,
    ),
    "WaitedForTransaction": record(
        {
            "transactional_id": nullable(STRING),
            "producer_epoch": nullable(INTEGER),
            "state": one_of("open", "decided"),
            "outcome": one_of("commit", "abort"),
            "held_ms": INTEGER,
        },
        producer_id=INTEGER,
    ),
    "Cause": record(
        {
            "topic": STRING,
            "partition": INTEGER,
            "offset": INTEGER,
            "replica": INTEGER,
            "transaction": ref("WaitedForTransaction"),
            "segment": INTEGER,
            "request": _REQUEST,
        },
        cause=one_of(*CauseKind),
    ),
    "Throttle": record(
        quota=STRING,
        user=nullable(STRING),
        client_id=nullable(STRING),
        rate=NUMBER,
        limit=NUMBER,
        ms=INTEGER,
    ),
}
