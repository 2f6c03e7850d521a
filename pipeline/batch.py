"""One complete analysis: reads all records and writes every table once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.errors import PipelineError
from pipeline.schema import DEFECT, RAW, parsed
from pipeline.sources import Source
from pipeline.store import Store
from pipeline.writing import write_tables

Step = Callable[[str], None]


class Counts(NamedTuple):
    """The number of rows, and of rows that are not records."""

    rows: int
    malformed: int


def analyse(spark: SparkSession, source: Source, out: str, window_s: int, step: Step) -> Counts:
    """Replace the tables of *out* with those of *source*; *step* is called with each step's name.

    Raises `PipelineError` if there is nothing to analyse; the tables of the last run remain then.
    """
    source.check(spark)
    store = Store(spark, out)
    if store.is_streamed:
        raise PipelineError(f"{out} has the tables of a stream; take another --out")
    step("reading records")
    # Persisted, so that no later step parses JSON again; on disk, so that joins have the memory.
    rows = parsed(source.read(spark)).persist(StorageLevel.DISK_ONLY)
    writing = store.begin()
    try:
        counts = counted(rows)
        step(f"writing the tables of {counts.rows:,} rows")
        write_tables(spark, store, writing, rows, window_s)
        store.publish(writing)
    except BaseException:
        store.abandon(writing)
        raise
    finally:
        rows.unpersist()
    return counts


def counted(rows: DataFrame) -> Counts:
    """Count *rows*; raises `PipelineError` if none of them is a record."""
    total, bad = rows.agg(sf.count("*"), sf.count(DEFECT)).collect()[0]
    if total == 0:
        raise PipelineError("the source has no records")
    if bad == total:
        defect, raw = rows.select(DEFECT, sf.substring(RAW, 1, 60)).limit(1).collect()[0]
        raise PipelineError(
            f"none of {total:,} rows is a wait record; the first: {defect}: {raw!r}"
        )
    return Counts(total, bad)
