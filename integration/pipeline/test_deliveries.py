"""The produce-to-fetch join."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.frames import frame, plain, record
from pipeline.computation.deliveries import appends_of, deliveries, reads_of

pytestmark = pytest.mark.jvm


def produce(offset: int, count: int, at: int, **fields: Any) -> dict[str, Any]:
    """An append of *count* records, finished 10 µs after *at*."""
    place = {"topic": "t", "partition": 0, "offset": offset, "records": count, "error": 0}
    times = {"arrived_us": at, "local_us": 10, "parked_us": 90, "total_us": 100}
    return record(api="Produce", client_id="p", partitions=[place | fields], **times)


def fetch(offset: int, count: int, at: int, client: str = "c", wait: int = 0) -> dict[str, Any]:
    """A fetch that arrived at *at* and had its response after *wait* µs."""
    place = {"topic": "t", "partition": 0, "offset": offset, "records": count, "error": 0}
    times = {"arrived_us": at, "parked_us": wait, "total_us": wait}
    return record(client_id=client, partitions=[place], **times)


def delivered(spark: SparkSession, reported: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The result of the join for these records."""
    records = frame(spark, reported)
    return plain(deliveries(appends_of(records), reads_of(records)))


def test_an_append_is_joined_with_the_first_fetch_of_each_client(spark: SparkSession) -> None:
    """The fetch may have waited or come later; a second fetch of the same offset does not count."""
    reported = [produce(5, 3, 1_000), fetch(5, 3, 500, wait=600), fetch(0, 20, 9_000)]
    reported += [fetch(7, 1, 2_000, "other"), fetch(4, 2, 3_000, "other")]
    seen = [
        (
            row["consumer"],
            row["offset"],
            row["append_to_answer_us"],
            row["fetch_was_waiting"],
            row["fetch_parked_us"],
            row["append_to_delivery_us"],
        )
        for row in delivered(spark, reported)
    ]

    assert sorted(seen) == [("c", 5, 90, True, 600, 90), ("other", 5, 90, False, 0, 1_990)]


def test_a_fetch_over_many_blocks_delivers_all_of_them(spark: SparkSession) -> None:
    """The blocks of offsets do not affect the result."""
    appends = [produce(base, 500, base) for base in range(0, 5_000, 500)]
    reported = delivered(spark, [*appends, fetch(0, 5_000, 9_000)])

    assert sorted(row["offset"] for row in reported) == list(range(0, 5_000, 500))


def test_failed_and_earlier_requests_are_no_deliveries(spark: SparkSession) -> None:
    """Failed appends, empty fetches, and a fetch that ended before the append."""
    reported = [produce(0, 1, 50, error=19), produce(9, 1, 5_000)]
    reported += [fetch(0, 0, 2_000), fetch(0, 10, 100)]

    assert delivered(spark, reported) == []


def test_an_append_whose_produce_timed_out_is_delivered(spark: SparkSession) -> None:
    """REQUEST_TIMED_OUT does not remove the records."""
    reported = [produce(5, 1, 1_000, error=7), fetch(5, 1, 2_000)]

    assert [row["offset"] for row in delivered(spark, reported)] == [5]
