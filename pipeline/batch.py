"""One complete analysis: reads all records and writes every table once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.computation.schema import DEFECT, NOT_READ, RAW, parsed
from pipeline.errors import PipelineError
from pipeline.output.manifest import PARQUET
from pipeline.output.store import Store
from pipeline.request_log.topic_names import TOPIC_IDS, described, names_of, with_names
from pipeline.sources import Source
from pipeline.writing import write_tables

Step = Callable[[str], None]


class Counts(NamedTuple):
    """The number of rows, of those that are not records, and of those that describe topics.

    ``not_read`` are lines of request logs that are not read as records.
    """

    rows: int
    malformed: int
    described: int = 0
    not_read: int = 0


def analyse(
    spark: SparkSession,
    source: Source,
    out: str,
    window_s: int,
    step: Step,
    time_zone: str = "UTC",
    table_format: str = PARQUET,
) -> Counts:
    """Replace the tables of *out* with those of *source*; *step* is called with each step's name.

    *time_zone* is that of request logs.

    Raises `PipelineError` if there is nothing to analyse; the tables of the last run remain then.
    """
    source.check(spark)
    store = Store(spark, out)
    store.check_format(table_format)
    if store.is_streamed:
        raise PipelineError(f"{out} has the tables of a stream; take another --out")
    step("reading records")
    rows, counts = rows_of(spark, source, time_zone)
    store.clean()
    run = store.begin(table_format)
    try:
        _check(rows, counts)
        step(f"writing the tables of {counts.rows:,} rows")
        named = with_names(rows, names_of(described(rows)) if counts.described else {})
        write_tables(spark, run, named, window_s)
        store.publish(run, window_s)
    except BaseException:
        store.abandon(run)
        raise
    finally:
        rows.unpersist()
    return counts


def rows_of(spark: SparkSession, source: Source, time_zone: str) -> tuple[DataFrame, Counts]:
    """Return the persisted rows of *source* and their counts; *time_zone* is that of request logs.

    A source with lines of a request log is read twice.
    """
    # Persisted, so that no later step parses JSON again; on disk, so that joins have the memory.
    rows = parsed(source.read(spark)).persist(StorageLevel.DISK_ONLY)
    counts = _counts(rows)
    if counts.not_read:
        rows.unpersist()
        rows = parsed(source.read(spark), time_zone).persist(StorageLevel.DISK_ONLY)
        counts = _counts(rows)
    return rows, counts


def counted(rows: DataFrame, *, needs_records: bool) -> Counts:
    """Count *rows*; with *needs_records*, raises `PipelineError` if none of them is a record."""
    counts = _counts(rows)
    if needs_records:
        _check(rows, counts)
    return counts


def has_request_log(rows: DataFrame) -> bool:
    """Whether a row was not read because it is a line of a request log."""
    [[not_read]] = rows.agg(sf.count_if(sf.col(DEFECT) == NOT_READ)).collect()
    return bool(not_read)


def _counts(rows: DataFrame) -> Counts:
    found = (
        sf.count("*"),
        sf.count(DEFECT),
        sf.count_if(sf.size(TOPIC_IDS) > 0),
        sf.count_if(sf.col(DEFECT) == NOT_READ),
    )
    return Counts(*rows.agg(*found).collect()[0])


def _check(rows: DataFrame, counts: Counts) -> None:
    if counts.rows == 0:
        raise PipelineError("the source has no records")
    if counts.malformed == counts.rows:
        defect, raw = rows.select(DEFECT, sf.substring(RAW, 1, 60)).limit(1).collect()[0]
        raise PipelineError(
            f"none of {counts.rows:,} rows is a wait record; the first: {defect}: {raw!r}"
        )
