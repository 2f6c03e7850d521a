"""The contents of the tables."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.conftest import WINDOW_S
from integration.pipeline.frames import frame, plain, record
from pipeline.computation import tables
from pipeline.computation.cells import cells
from tests.pipeline.wait_records import wait_records

pytestmark = pytest.mark.jvm


def test_requests_causes_and_timeouts_add_up(spark: SparkSession) -> None:
    """Their sums equal those of the records, in the scope of requests."""
    records = wait_records(800)
    counted = plain(tables.waits(cells(frame(spark, records), WINDOW_S)))
    requests = [row for row in counted if row["scope"] == "request"]

    assert sum(row["requests"] for row in requests) == 800
    assert sum(row["parked"] for row in requests) == sum(bool(r["purgatory"]) for r in records)
    ended = [r["completed_by"]["cause"] for r in records]
    assert sum(row["timeouts"] for row in requests) == ended.count("timeout") > 0
    assert all(row["parked_share"] == row["parked"] / row["requests"] for row in counted)


def test_latency_has_a_row_for_each_phase_of_a_key(spark: SparkSession) -> None:
    """All percentiles of a single value are that value."""
    one = record(queued_us=1, local_us=2, parked_us=40, send_us=4, total_us=47)
    rows = plain(tables.latency(cells(frame(spark, [one]), 60)))

    by_phase = {row["phase"]: (row["p50"], row["p99_9"], row["max"], row["mean"]) for row in rows}
    assert by_phase == {
        "queued": (1, 1, 1, 1),
        "local": (2, 2, 2, 2),
        "parked": (40, 40, 40, 40),
        "send": (4, 4, 4, 4),
        "total": (47, 47, 47, 47),
    }


def test_top_waits_are_the_longest_of_each_purgatory(spark: SparkSession) -> None:
    """They are sorted, and limited in number."""
    many = [record(purgatory="Fetch", parked_us=us) for us in range(tables.TOP_WAITS + 50)]
    rows = plain(tables.top_waits(spark, frame(spark, [*many, record(purgatory="Produce")])))

    fetches = {row["rank"]: row["parked_us"] for row in rows if row["purgatory"] == "Fetch"}
    assert fetches == {rank + 1: len(many) - 1 - rank for rank in range(tables.TOP_WAITS)}
    assert [row["rank"] for row in rows if row["purgatory"] == "Produce"] == [1]


def test_produce_lag_counts_produces_by_lag_and_wait(spark: SparkSession) -> None:
    """The lag is that of the high watermark at parking; other requests are left out."""
    waited = {"kind": "high_watermark", "need": 43, "had": 40}
    parked = record(api="Produce", parked_us=100, waited_for=waited)
    rows = plain(tables.produce_lag(frame(spark, [parked, parked, record(api="Produce")])))

    assert rows == [{"lag_bucket": 3, "parked_bucket": 100, "count": 2}]
