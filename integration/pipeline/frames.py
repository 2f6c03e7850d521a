"""Records as data frames of Spark, and data frames as lists of rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from pipeline.computation.schema import parsed
from pipeline.computation.tables import records_of


def lines(spark: SparkSession, texts: Iterable[str | None]) -> DataFrame:
    """Texts as a source returns them."""
    return spark.createDataFrame([(text,) for text in texts], "value string")


def frame(spark: SparkSession, records: Iterable[dict[str, Any]]) -> DataFrame:
    """The records from which tables are computed."""
    return records_of(parsed(lines(spark, map(json.dumps, records))))


def plain(table: DataFrame) -> list[dict[str, Any]]:
    """All rows, sorted."""
    return sorted((row.asDict(recursive=True) for row in table.collect()), key=str)


def record(**fields: Any) -> dict[str, Any]:
    """A record of a request that did not wait; *fields* override its values."""
    times = dict.fromkeys(("queued_us", "local_us", "parked_us", "send_us", "total_us"), 0)
    what = {"schema": 1, "api": "Fetch", "arrived_us": 0, "completed_by": {"cause": "arrival"}}
    return {**what, **times, "partitions": [], "error": 0, **fields}
