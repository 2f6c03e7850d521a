"""Explanations of waits, compared as whole sentences."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from integration.pipeline.frames import frame, record
from pipeline.explanation import SENTENCE

pytestmark = pytest.mark.jvm

ALICE = {"principal": "User:alice", "listener": "SASL_SSL"}
ANONYMOUS = {"principal": "User:ANONYMOUS", "listener": "PLAINTEXT"}
THROTTLE = {
    "quota": "request_percentage",
    "user": "alice",
    "client_id": None,
    "rate": 0.8,
    "limit": 0.5,
    "ms": 1000,
}
WHO = {"node": 1, "connection": 4, "client_id": "billing", "correlation_id": 12}
PLACE = {"topic": "orders", "partition": 0}
CUT = {"rule": 1, "name": "lost", "action": "cut"}
HELD = {"rule": 2, "name": None, "action": "hold_isr"}
SENTENCES = [
    (
        record(
            **WHO,
            api="OffsetCommit",
            purgatory="Produce",
            parked_us=1_500_000,
            waited_for={"kind": "stored", "group": "g", "faults": [CUT, HELD]},
            completed_by={"cause": "high_watermark", **PLACE, "replica": 2},
        ),
        (
            'OffsetCommit 12 of client "billing" (node 1, connection 4) waited 1,500.0 ms in'
            " Produce for the records of its group to be stored, because fault rule 1 (lost) cuts a"
            " link and fault rule 2 holds the in-sync replicas; node 2 advanced the high watermark"
            " of orders-0."
        ),
    ),
    (
        record(
            **WHO,
            purgatory="Fault",
            parked_us=300_000,
            fault={"rule": 3, "name": "late", "action": "delay"},
            waited_for={"kind": "fault", "effect": "delay_response", "rule": 3, "name": "late"},
            timeout_ms=300,
            completed_by={"cause": "timeout"},
        ),
        (
            'Fetch 12 of client "billing" (node 1, connection 4) waited 300.0 ms in Fault because'
            " fault rule 3 (late) delays its response; it timed out after 300 ms."
        ),
    ),
    (
        record(
            **WHO,
            purgatory="Fetch",
            parked_us=1_000,
            fault={"rule": 4, "name": None, "action": "half_open"},
            waited_for={"kind": "min_bytes", "need": 1, "had": 0},
            completed_by={"cause": "disconnect"},
        ),
        (
            'Fetch 12 of client "billing" (node 1, connection 4) waited 1.0 ms in Fetch for 1 bytes'
            " (had 0); its client disconnected; fault rule 4 fired on it: half open."
        ),
    ),
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
            **WHO,
            api="Produce",
            purgatory="Produce",
            parked_us=110_000,
            waited_for={"kind": "high_watermark", **PLACE, "need": 43, "had": 40},
            earlier_waits=[
                {
                    "parked_us": 90_000,
                    "purgatory": "Produce",
                    "waited_for": {"kind": "transaction_coordinator", "transactional_id": "b"},
                }
            ],
            completed_by={"cause": "high_watermark", **PLACE},
        ),
        (
            'Produce 12 of client "billing" (node 1, connection 4) waited 20.0 ms in Produce for'
            " the high watermark of orders-0 to reach 43 (was 40); before, it waited 90.0 ms in"
            ' Produce for the coordinator of its transaction "b"; a change of the in-sync replicas'
            " advanced the high watermark of orders-0."
        ),
    ),
    (
        record(
            **WHO,
            api="EndTxn",
            purgatory="Produce",
            parked_us=20_000,
            waited_for={
                "kind": "transaction_state",
                "transactional_id": "b",
                "state": "PrepareCommit",
                "producer_epoch": 4,
            },
            completed_by={"cause": "high_watermark"},
        ),
        (
            'EndTxn 12 of client "billing" (node 1, connection 4) waited 20.0 ms in Produce for'
            " the record of its transaction (PrepareCommit, epoch 4) to be replicated; a change of"
            " the in-sync replicas advanced the high watermark of its partitions."
        ),
    ),
    (
        record(
            api="JoinGroup",
            muted_by=THROTTLE,
            throttle={**THROTTLE, "user": None, "client_id": "billing"},
            purgatory="Rebalance",
            parked_us=1_500,
            waited_for={"kind": "members", "group": "g"},
            completed_by={"cause": "members"},
        ),
        (
            "JoinGroup ? of a client without an id (node ?, connection ?) waited 1.5 ms in"
            " Rebalance for the other members of its group; the group was complete; it was queued"
            " because of the quota request_percentage of user alice (0.8 instead of 0.5); its"
            " client was throttled for 1000 ms by the quota request_percentage of client billing"
            " (0.8 instead of 0.5)."
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
        record(
            **WHO,
            api="CreateAcls",
            purgatory="AlterAcls",
            parked_us=2_000,
            waited_for={"kind": "applied", "nodes": [2, 3]},
            completed_by={"cause": "applied"},
        ),
        (
            'CreateAcls 12 of client "billing" (node 1, connection 4) waited 2.0 ms in AlterAcls'
            " for node 2, 3 to apply its change; every node had applied it."
        ),
    ),
    *(
        (
            record(**WHO, **session, purgatory="Fetch", completed_by={"cause": "unknown"}),
            (
                f'Fetch 12 of client "billing" ({words}node 1, connection 4) waited 0.0 ms in'
                " Fetch; the cause is unknown."
            ),
        )
        for session, words in (
            (ALICE, "User:alice, listener SASL_SSL, "),
            ({"principal": "User:alice"}, "User:alice, "),
            (ANONYMOUS, ""),
        )
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
