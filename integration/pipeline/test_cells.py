"""The aggregation of records to cells."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.frames import frame, plain, record
from pipeline.computation.cells import by_scope, cells

pytestmark = pytest.mark.jvm

TWO = [
    {"topic": "orders", "partition": 0, "error": 0},
    {"topic": "orders", "partition": 1, "error": 6},
]


def test_a_request_counts_once_and_for_each_partition(spark: SparkSession) -> None:
    """Both scopes have its times; a failed partition fails itself and the request."""
    one = record(total_us=70, parked_us=50, purgatory="Fetch", partitions=TWO)
    table = by_scope(cells(frame(spark, [one]), 60)).where("phase = 'total'")

    seen = [
        (row["scope"], row["topic"], row["partition"], row["count"], row["parked"], row["failed"])
        for row in plain(table)
    ]
    assert sorted(seen, key=str) == [
        ("partition", "orders", 0, 1, 1, 0),
        ("partition", "orders", 1, 1, 1, 1),
        ("request", None, None, 1, 1, 1),
    ]
    assert {(row["sum"], row["max"], row["bucket"]) for row in plain(table)} == {(70, 70, 70)}


def test_a_request_without_partitions_is_in_one_scope(spark: SparkSession) -> None:
    """Metadata and Heartbeat have none; null and empty lists are equal."""
    both = [record(partitions=[]), record(partitions=None)]
    [row] = plain(by_scope(cells(frame(spark, both), 60)).where("phase = 'total'"))

    assert (row["scope"], row["count"]) == ("request", 2)


def test_windows_begin_at_multiples_of_their_length(spark: SparkSession) -> None:
    """A record without a cause has an unknown one."""
    late = [record(arrived_us=119_999_999, completed_by=None), record(arrived_us=120_000_000)]
    table = by_scope(cells(frame(spark, late), 60)).where("phase = 'send'")

    assert {(row["window"].timestamp(), row["cause"]) for row in plain(table)} == {
        (60.0, "unknown"),
        (120.0, "arrival"),
    }
