"""The fields of a wait record, and rows that are not records."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.frames import lines, plain, record
from pipeline.computation.schema import DEFECT, RAW, parsed
from tests.pipeline.wait_records import wait_records

pytestmark = pytest.mark.jvm


def test_every_field_is_read(spark: SparkSession) -> None:
    """A record has the same fields as written, with null for missing ones."""
    [written] = [each for each in wait_records(50) if each["waited_for"]][:1]
    [read] = plain(parsed(lines(spark, [json.dumps(written)])))

    def without_nulls(value: object) -> object:
        if isinstance(value, dict):
            kept = {name: without_nulls(inner) for name, inner in value.items()}
            return {name: inner for name, inner in kept.items() if inner is not None}
        return [without_nulls(item) for item in value] if isinstance(value, list) else value

    assert without_nulls(read) == without_nulls(written)


def test_unknown_fields_are_ignored_and_missing_ones_null(spark: SparkSession) -> None:
    """Records of newer and older writers can be read together."""
    newer = record(added={"deep": [1]}, partitions=[{"topic": "t", "partition": 0, "rack": "a"}])
    [read] = plain(parsed(lines(spark, [json.dumps(newer)])))

    assert read[DEFECT] is None
    assert read["partitions"][0]["topic"] == "t"
    assert read["client_id"] is None


def test_a_row_that_is_not_a_record_has_a_reason(spark: SparkSession) -> None:
    """The text is kept beside the reason."""
    faulty = {
        "no value": None,
        "not a JSON object with these types": '{"schema":1,"api":"Fe',
        "no schema number": '{"api":"Fetch"}',
        "schema 2, not 1": json.dumps(record(schema=2)),
        "no api": json.dumps(record(api=None)),
        "no total_us": json.dumps(record(total_us=None)),
        "parked_us is negative": json.dumps(record(parked_us=-1)),
    }
    read = plain(parsed(lines(spark, faulty.values())))

    assert {row[DEFECT]: row[RAW] for row in read} == faulty
