"""Records as they come: micro-batches into histograms that add up, each exactly once.

There is no state to lose and nothing to time out. A micro-batch is written under its number, and
written over if it has to be done again; a late record lands in its window, whenever it comes. The
tables are then computed from all batches that are complete, and published whole.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from pipeline.batch import Counts, Step, counted
from pipeline.cells import cells
from pipeline.errors import PipelineError
from pipeline.schema import parsed
from pipeline.sources import Source
from pipeline.store import Store
from pipeline.tables import records_of

TRIGGER = "10 seconds"


def start(
    spark: SparkSession, source: Source, out: str, window_s: int, *, follow: bool
) -> StreamingQuery:
    """Begin to add what is new in *source* to *out*; ends by itself unless it is to *follow*.

    A stream belongs to one window length: ``cells/window=<s>`` of another is an error.
    """
    source.check(spark)
    store = Store(spark, out)
    begun = {at.rpartition("=")[2] for at in store.files.glob(f"{out}/cells/window=*")}
    if begun - {str(window_s)}:
        raise PipelineError(
            f"--window {window_s}: {out} was begun with {', '.join(begun)}; take that, or"
            " another --out"
        )
    writer = parsed(source.stream(spark)).writeStream.option(
        "checkpointLocation", f"{out}/checkpoint"
    )
    writer = writer.foreachBatch(_keeper(spark, out, window_s))
    trigger = (
        writer.trigger(processingTime=TRIGGER) if follow else writer.trigger(availableNow=True)
    )
    return trigger.start()


def _keeper(spark: SparkSession, out: str, window_s: int) -> Callable[[DataFrame, int], None]:
    def keep(rows: DataFrame, number: int) -> None:
        folder = rows_folder(out, number)
        rows.write.mode("overwrite").parquet(folder)
        kept = records_of(spark.read.parquet(folder))
        counted_cells = cells(kept, window_s).coalesce(1)
        # Written last: what has cells is complete.
        counted_cells.write.mode("overwrite").parquet(cells_folder(out, window_s, number))

    return keep


def rows_folder(out: str, number: int) -> str:
    """Where the rows of a micro-batch are."""
    return f"{out}/rows/batch={number}"


def cells_folder(out: str, window_s: int, number: int) -> str:
    """Where the cells of a micro-batch are."""
    return f"{out}/cells/window={window_s}/batch={number}"


def complete(store: Store, window_s: int) -> list[str]:
    """The cells of all micro-batches that are complete."""
    # Spark writes this mark when all files of a folder are in place.
    marks = store.files.glob(f"{store.out}/cells/window={window_s}/batch=*/_SUCCESS")
    return [mark.removesuffix("/_SUCCESS") for mark in marks]


def publish(spark: SparkSession, out: str, window_s: int, step: Step) -> Counts:
    """Compute the tables from all complete batches; raises `PipelineError` when there is none."""
    store = Store(spark, out)
    folders = complete(store, window_s)
    if not folders:
        raise PipelineError("the source has no records")
    numbers = [int(folder.rpartition("=")[2]) for folder in folders]
    rows = spark.read.parquet(*(rows_folder(out, number) for number in numbers))
    counts = counted(rows)
    writing = store.begin()
    try:
        step(f"writing the tables of {counts.rows:,} rows")
        merged = spark.read.parquet(*folders)
        merged.write.parquet(f"{writing}/cells")
        store.write_tables(writing, rows, spark.read.parquet(f"{writing}/cells"), window_s)
        store.publish(writing)
    except BaseException:
        store.abandon(writing)
        raise
    return counts
