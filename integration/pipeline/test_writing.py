"""New records are added to the tables of a stream by hour."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.conftest import WINDOW_S
from integration.pipeline.frames import lines
from pipeline import stream
from pipeline.batch import Counts
from pipeline.computation.schema import parsed
from pipeline.output.manifest import to_json
from pipeline.output.store import Store
from tests.pipeline.wait_records import Record, wait_records

pytestmark = pytest.mark.jvm


def test_hours_without_new_records_are_not_read(spark: SparkSession, copied: Store) -> None:
    """Their files are not opened; here they could not be."""
    out = Path(copied.out)
    # As if a stream had written these tables and a second micro-batch was complete.
    begun = replace(copied.published().manifest, micro_batch=0)
    copied.files.replace(f"{out}/tables.json", to_json(begun))
    torn = [*(out / "tables").glob("*/run=*/date=*/hour=*/*.parquet")]
    for file in torn:
        file.write_bytes(b"torn")
        file.with_name(f".{file.name}.crc").unlink()
    records = [later(record) for record in wait_records(400)]
    parsed(lines(spark, map(json.dumps, records))).write.parquet(f"{out}/rows/batch=1")

    assert stream.publish(spark, copied.out, WINDOW_S, lambda _: None) == Counts(len(records), 0)
    assert all(file.read_bytes() == b"torn" for file in torn)
    files = copied.published().manifest.files["tables/latency"]
    assert {Path(file).parent.name for file in files} == {"hour=9", "hour=14"}


def later(record: Record) -> Record:
    """The same records five hours later, of another topic."""
    places = [{**place, "topic": f"new-{place['topic']}"} for place in record["partitions"]]
    return {**record, "arrived_us": record["arrived_us"] + 5 * 3_600_000_000, "partitions": places}
