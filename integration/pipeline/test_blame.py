"""What each wait is attributed to, and the roles of requests."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.frames import frame, plain, record
from pipeline.computation.blame import blame
from pipeline.computation.cells import by_scope, cells

pytestmark = pytest.mark.jvm

LAG = {"kind": "high_watermark", "behind": [2, 3], "behind_states": ["running", "paused"]}
POLL = {"kind": "min_bytes", "need": 1, "had": 0}
HELD = {"kind": "transaction", "transaction": {"transactional_id": "tx", "state": "open"}}
JOIN = {"kind": "members", "group": "g"}
RULE = {"kind": "fault", "name": "slow", "rule": 1, "effect": "delay_request"}
LATE = {"cause": "members", "request": {"api": "JoinGroup", "client_id": "late"}}


def parked(api: str, waited_for: dict[str, Any], **other: Any) -> dict[str, Any]:
    """A request that waited for 70 µs."""
    return record(api=api, purgatory="x", parked_us=70, waited_for=waited_for, **other)


def by(cause: str, **other: Any) -> dict[str, Any]:
    """What ended a wait."""
    return {"cause": cause, **other}


@pytest.mark.parametrize(
    ("one", "kind", "name", "detail"),
    [
        (parked("Produce", LAG, completed_by=by("timeout")), "replica", "3", "paused"),
        (
            parked("Produce", LAG, completed_by=by("high_watermark", replica=2)),
            *("replica", "2", None),
        ),
        (parked("Fetch", HELD), "transaction", "tx", "open"),
        (
            parked("JoinGroup", JOIN, completed_by=LATE),
            "member",
            "late",
            "g",
        ),
        (parked("Produce", RULE), "rule", "slow", "delay_request"),
        (parked("Produce", {**LAG, "faults": [{"rule": 7}]}), "rule", "rule 7", None),
        (parked("Fetch", {**POLL, "had": 5}, client_id="c"), "client", "c", "fetch.min.bytes"),
        (parked("Fetch", POLL, client_id="c"), "idle", None, "idle_poll"),
        (parked("Fetch", POLL, client_id="node-2"), "idle", None, "follower"),
        (record(queued_us=70, client_id="c"), "queue", "c", None),
        (record(queued_us=70, muted_by={"user": "u", "quota": "q"}), "client", "u", "q"),
        (parked("OffsetCommit", {"kind": "stored"}), "other", "stored", None),
    ],
)
def test_a_wait_has_one_cause(
    spark: SparkSession, one: dict[str, Any], kind: str, name: str | None, detail: str | None
) -> None:
    """Its whole time counts for that cause."""
    [row] = plain(blame(frame(spark, [one]), 60))

    assert (row["kind"], row["name"], row["detail"]) == (kind, name, detail)
    assert (row["waits"], row["waited_us"], row["longest_us"]) == (1, 70, 70)


def test_a_fault_without_a_wait_counts_as_a_wait_of_no_length(spark: SparkSession) -> None:
    """So that the time line shows when the rule fired."""
    fired = {"rule": 3, "name": "broken", "action": "error"}
    [row] = plain(blame(frame(spark, [record(fault=fired)]), 60))

    assert (row["kind"], row["name"], row["detail"]) == ("rule", "broken", "error")
    assert (row["waits"], row["waited_us"]) == (1, 0)


def test_long_polls_with_records_are_no_idle_polls(spark: SparkSession) -> None:
    """Without `had`, the records in the response of a timeout decide."""
    unknown = {"kind": "min_bytes", "need": 100}
    place = {"topic": "t", "partition": 0, "bytes": 40}
    ended = {"purgatory": "Fetch", "completed_by": by("timeout"), "waited_for": unknown}
    polls = [
        record(api="Fetch", **ended, partitions=[place]),
        record(api="Fetch", **ended, partitions=[{**place, "bytes": 0}]),
        record(api="Fetch", client_id="broker-1-fetcher-0"),
    ]
    rows = plain(by_scope(cells(frame(spark, polls), 60)).where("phase = 'total'"))

    requests = [row for row in rows if row["scope"] == "request"]
    assert {row["role"]: row["count"] for row in requests} == {
        "request": 1,
        "idle_poll": 1,
        "follower": 1,
    }
