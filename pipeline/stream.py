"""Records as they come: micro-batches into tables that add up, each exactly once.

There is no state to lose and nothing to time out. A micro-batch is written under its number, and
written over if it has to be done again; a late record lands in its window, whenever it comes. All
that are complete are then added to the tables, together with their numbers, and are gone: what a
publishing costs is due to what is new, however long the stream has been running.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from pipeline.batch import Counts, Step, counted
from pipeline.errors import PipelineError
from pipeline.schema import parsed
from pipeline.sources import Source
from pipeline.store import Store
from pipeline.writing import write_tables

TRIGGER = "10 seconds"


def start(
    spark: SparkSession, source: Source, out: str, window_s: int, *, follow: bool
) -> StreamingQuery:
    """Begin to add what is new in *source* to *out*; ends by itself unless it is to *follow*.

    A stream belongs to one window length, and its tables to it: others are an error.
    """
    source.check(spark)
    store = Store(spark, out)
    store.stream(window_s)
    writer = parsed(source.stream(spark)).writeStream.option(
        "checkpointLocation", f"{out}/checkpoint"
    )
    writer = writer.foreachBatch(_keeper(store))
    trigger = (
        writer.trigger(processingTime=TRIGGER) if follow else writer.trigger(availableNow=True)
    )
    return trigger.start()


def _keeper(store: Store) -> Callable[[DataFrame, int], None]:
    folded = store.folded()

    def keep(rows: DataFrame, number: int) -> None:
        # Who died between the tables and the checkpoint is given a micro-batch once more.
        if number > folded:
            rows.write.mode("overwrite").parquet(store.batch(number))

    return keep


def publish(spark: SparkSession, out: str, window_s: int, step: Step) -> Counts:
    """Put all complete micro-batches into the tables, and return what they had.

    Raises `PipelineError` when there are no tables then.
    """
    store = Store(spark, out)
    store.carry_on()
    numbers = store.batches()
    if not numbers:
        if store.folded() < 0:
            raise PipelineError("the source has no records")
        return Counts(0, 0)
    rows = spark.read.parquet(*map(store.batch, numbers))
    counts = counted(rows)
    writing = store.begin()
    try:
        step(f"putting {counts.rows:,} rows into the tables")
        write_tables(spark, store, writing, rows, window_s)
    except BaseException:
        store.abandon(writing)
        raise
    store.fold(writing, numbers[-1])
    return counts
