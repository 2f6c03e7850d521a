"""Adds a stream of records to the tables, each record exactly once.

There is no streaming state and no watermark. A micro-batch is written under its number, and
overwritten if Spark repeats it; a late record is added to its window whenever it arrives. All
complete micro-batches are then added to the tables, in one step with their numbers, and removed.
The cost of a publication depends on the new records and on the hours that they are of; only the
manifest, which names all files, grows with the age of the stream.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.streaming.query import StreamingQuery

from pipeline.batch import Counts, Step, counted, has_request_log
from pipeline.computation.schema import ROW_DDL, parsed
from pipeline.errors import PipelineError
from pipeline.output.manifest import PARQUET
from pipeline.output.micro_batches import MicroBatches
from pipeline.output.store import Store
from pipeline.request_log.conversion import MARK
from pipeline.request_log.topic_names import described, names_of, with_names
from pipeline.sources import Source
from pipeline.writing import add_tables

TRIGGER = "10 seconds"


def start(
    spark: SparkSession,
    source: Source,
    out: str,
    window_s: int,
    *,
    follow: bool,
    time_zone: str = "UTC",
    table_format: str = PARQUET,
) -> StreamingQuery:
    """Start adding new records of *source* to *out*; it ends by itself unless *follow* is true.

    A stream and its tables have one window length and one format; another one is an error.
    *time_zone* is that of request logs.
    """
    source.check(spark)
    store = Store(spark, out)
    store.stream(window_s, table_format)
    kept = MicroBatches(spark, out)
    published = _published(store)
    lines = source.stream(spark).writeStream.option("checkpointLocation", f"{out}/checkpoint")
    writer = lines.foreachBatch(_keeper(kept, published, time_zone))
    trigger = (
        writer.trigger(processingTime=TRIGGER) if follow else writer.trigger(availableNow=True)
    )
    return trigger.start()


def _keeper(kept: MicroBatches, published: int, time_zone: str) -> Callable[[DataFrame, int], None]:
    def keep(lines: DataFrame, number: int) -> None:
        # Spark repeats a micro-batch if the run was killed before the checkpoint was written.
        if number <= published:
            return
        # Its rows are written once, after its topics: with them it is complete.
        marked = lines.where(sf.contains(sf.col("value").cast("string"), sf.lit(MARK)))
        if has_request_log(parsed(marked)):
            rows = parsed(lines, time_zone).persist(StorageLevel.DISK_ONLY)
            described(rows).write.mode("overwrite").parquet(kept.topics(number))
            rows.write.mode("overwrite").parquet(kept.rows(number))
            rows.unpersist()
        else:
            parsed(lines).write.mode("overwrite").parquet(kept.rows(number))

    return keep


def publish(spark: SparkSession, out: str, window_s: int, step: Step) -> Counts:
    """Add all complete micro-batches to the tables, and return their counts.

    Raises `PipelineError` if there are no tables then.
    """
    store, kept = Store(spark, out), MicroBatches(spark, out)
    published = _published(store)
    kept.remove(published)  # a run that was killed may have left them
    numbers = kept.complete(after=published)
    if not numbers:
        if published < 0:
            raise PipelineError("the source has no records")
        return Counts(0, 0)
    # With the schema: micro-batches of older runs lack the columns that were added since.
    rows = spark.read.schema(ROW_DDL).parquet(*map(kept.rows, numbers))
    counts = counted(rows, needs_records=published < 0)
    present = store.published()
    run = store.begin(present.manifest.table_format)
    try:
        step(f"adding {counts.rows:,} rows to the tables")
        topics = kept.described()
        named = rows if topics is None else with_names(rows, names_of(topics))
        add_tables(spark, present, run, named, window_s)
        store.add(run, numbers[-1])
    except BaseException:
        store.abandon(run)
        raise
    kept.remove(numbers[-1])
    return counts


def has_new(spark: SparkSession, out: str) -> bool:
    """Whether there are micro-batches that are not in the tables."""
    return bool(MicroBatches(spark, out).complete(after=_published(Store(spark, out))))


def _published(store: Store) -> int:
    """The number of the last micro-batch in the tables; -1 if there is none."""
    present = store.manifest()
    return -1 if present is None or present.micro_batch is None else present.micro_batch
