"""Explanations of waits, compared as whole sentences."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from integration.pipeline.frames import frame, record
from pipeline.explanation import SENTENCE

pytestmark = pytest.mark.jvm

WHO = {"node": 1, "connection": 4, "client_id": "billing", "correlation_id": 12}
PLACE = {"topic": "orders", "partition": 0}
SENTENCES = [
    (
        record(
            **WHO,
            purgatory="Fetch",
            parked_us=183_040,
            checks=3,
            waited_for={"kind": "min_bytes", "need": 1000, "had": 312},
            completed_by={
                "cause": "append",
                **PLACE,
                "request": {"api": "Produce", "client_id": "shop", "correlation_id": 17},
            },
        ),
        (
            'Fetch 12 of client "billing" (node 1, connection 4) waited 183.0 ms in Fetch for'
            ' 1000 bytes (had 312), and was checked 3 times; Produce 17 of client "shop" appended'
            " to orders-0."
        ),
    ),
    (
        record(
            **WHO,
            api="Produce",
            purgatory="Produce",
            parked_us=30_000_000,
            timeout_ms=30_000,
            checks=1,
            waited_for={
                "kind": "high_watermark",
                **PLACE,
                "need": 43,
                "had": 40,
                "behind": [2, 3],
                "behind_states": ["running", "paused"],
            },
            completed_by={"cause": "timeout"},
        ),
        (
            'Produce 12 of client "billing" (node 1, connection 4) waited 30,000.0 ms in Produce'
            " for the high watermark of orders-0 to reach 43 (was 40); behind: node 2, 3 (paused),"
            " and was checked once; it timed out after 30000 ms."
        ),
    ),
    (
        record(
            api="JoinGroup",
            purgatory="Rebalance",
            parked_us=1_500,
            waited_for={"kind": "members", "group": "g"},
            completed_by={"cause": "members"},
        ),
        (
            "JoinGroup ? of a client without an id (node ?, connection ?) waited 1.5 ms in"
            " Rebalance for the other members of its group; the group was complete."
        ),
    ),
    (
        record(
            **WHO,
            api="OffsetCommit",
            purgatory="Produce",
            parked_us=2_000,
            waited_for={"kind": "stored", "group": "g"},
            completed_by={"cause": "high_watermark", **PLACE},
        ),
        (
            'OffsetCommit 12 of client "billing" (node 1, connection 4) waited 2.0 ms in Produce'
            " for the records of its group to be stored; a change of the in-sync replicas"
            " advanced the high watermark of orders-0."
        ),
    ),
    (
        record(api="Fetch", parked_us=0, completed_by={"cause": "unknown"}),
        (
            "Fetch ? of a client without an id (node ?, connection ?) waited 0.0 ms in no"
            " purgatory; the cause is unknown."
        ),
    ),
]


def test_a_wait_is_explained(spark: SparkSession) -> None:
    """The sentence names the request, its wait, the condition and the cause, where known."""
    rows = frame(spark, [wait for wait, _ in SENTENCES]).select(sf.expr(SENTENCE)).collect()

    assert [row[0] for row in rows] == [sentence for _, sentence in SENTENCES]
