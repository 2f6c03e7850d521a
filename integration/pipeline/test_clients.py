"""The requests of each client."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.frames import frame, plain, record
from pipeline.computation.clients import added_up, clients

pytestmark = pytest.mark.jvm

ALICE = {"client_id": "billing", "principal": "User:alice", "listener": "SASL_SSL"}


def test_a_client_id_with_two_principals_is_two_clients(spark: SparkSession) -> None:
    """Two listeners are two clients; an older record has neither, and is a client of its own."""
    others = [ALICE | {"principal": "User:bob"}, ALICE | {"listener": "SSL"}, {"client_id": "old"}]
    records = [record(**each) for each in (ALICE, ALICE, *others)]
    rows = plain(clients(frame(spark, records), 60))

    counted = {
        (row["client_id"], row["principal"], row["listener"]): row["requests"] for row in rows
    }
    assert counted == {
        ("billing", "User:alice", "SASL_SSL"): 2,
        ("billing", "User:bob", "SASL_SSL"): 1,
        ("billing", "User:alice", "SSL"): 1,
        ("old", None, None): 1,
    }


def test_waits_and_failures_are_counted_once_a_request(spark: SparkSession) -> None:
    """A request with two failed partitions has failed once."""
    failed = [{"topic": "t", "partition": index, "error": 6} for index in (0, 1)]
    records = [
        record(**ALICE, purgatory="Fetch", parked_us=5, total_us=7, partitions=failed),
        record(**ALICE, purgatory="Fetch", total_us=3, completed_by={"cause": "timeout"}),
        record(**ALICE, total_us=1),
    ]
    [row] = plain(clients(frame(spark, records), 60))

    names = ("requests", "parked", "timeouts", "failed", "parked_us", "total_us", "longest_us")
    assert [row[name] for name in names] == [3, 2, 1, 1, 5, 11, 7]


def test_clients_of_two_runs_are_added(spark: SparkSession) -> None:
    """Counts and times are sums, and the longest time is a maximum."""
    one, two = (
        clients(frame(spark, [record(**ALICE, total_us=total_us)]), 60) for total_us in (4, 9)
    )
    [row] = plain(added_up(one.unionByName(two)))

    assert (row["requests"], row["total_us"], row["longest_us"]) == (2, 13, 9)
