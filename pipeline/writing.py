"""Computes every table into a folder, from new records alone or in addition to a stream's tables.

A stream's tables summarise all records read before. New records are added to the affected parts of
tables (the hours of their windows and of the batches that they deliver); other parts remain
unchanged, whatever their number.

To find deliveries across micro-batches, the stream keeps its appends and reads by ranges of
offsets. A part is read again only if new records are in the same range of a log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline import clients, tables
from pipeline.cells import added_up, cells
from pipeline.deliveries import appends_of, deliveries, first_of_each, reads_of
from pipeline.store import MALFORMED, Store

WINDOWED = {"cells", "clients", "latency", "waits", "delivery_latency"}
MOMENTS = {**dict.fromkeys(WINDOWED, "window"), "deliveries": "appended"}

# The offsets whose appends and reads are stored in one part.
_STRETCH = "block div 400"
_APPENDS, _READS = "_log/appends", "_log/reads"


def write_tables(
    spark: SparkSession, store: Store, folder: str, rows: DataFrame, window_s: int
) -> None:
    """Compute into *folder* every table to which *rows* add something."""
    writing = _Streamed if store.is_streamed else _Alone
    run = writing(spark, store, folder, rows, window_s)
    # Small jobs leave cores idle, so they run concurrently.
    with ThreadPoolExecutor(max_workers=2) as pool:
        for job in [pool.submit(job) for job in run.jobs()]:
            job.result()


class _Alone:
    """The tables of these rows only."""

    def __init__(
        self, spark: SparkSession, store: Store, folder: str, rows: DataFrame, window_s: int
    ) -> None:
        self._spark = spark
        self._store = store
        self._folder = folder
        self._rows = rows
        self._window_s = window_s
        self._records = tables.records_of(rows)

    def jobs(self) -> list[Callable[[], object]]:
        """The jobs, the longest first."""
        return [
            self.delivered,
            self.counted,
            self.by_client,
            self.waited,
            self.lagged,
            self.malformed,
        ]

    def counted(self) -> None:
        """Write the tables that are computed from cells."""
        found = self.cells()
        self._write("cells", found)
        again = self._written("cells", found)
        self._write("latency", tables.latency(again))
        self._write("waits", tables.waits(again))

    def by_client(self) -> None:
        """Write the requests of each client."""
        self._write("clients", self.clients())

    def delivered(self) -> None:
        """Write the deliveries and their percentiles."""
        found = self.deliveries()
        self._write("deliveries", found)
        again = self._written("deliveries", found)
        self._write("delivery_latency", tables.delivery_latency(again, self._window_s))

    def waited(self) -> None:
        """Write the longest waits."""
        self._write("top_waits", self.top_waits())

    def lagged(self) -> None:
        """Write the table of produces and the high watermark."""
        self._write("produce_lag", self.produce_lag())

    def malformed(self) -> None:
        """Write the rows that are not records."""
        self._write(MALFORMED, tables.malformed(self._rows))

    def cells(self) -> DataFrame:
        return cells(self._records, self._window_s)

    def clients(self) -> DataFrame:
        return clients.clients(self._records, self._window_s)

    def deliveries(self) -> DataFrame:
        return deliveries(appends_of(self._records), reads_of(self._records))

    def top_waits(self) -> DataFrame:
        return tables.top_waits(self._spark, self._records)

    def produce_lag(self) -> DataFrame:
        return tables.produce_lag(self._records)

    def _written(self, name: str, like: DataFrame) -> DataFrame:
        # With its schema, because a table without rows has no file that contains it.
        return self._spark.read.schema(like.schema).parquet(f"{self._folder}/{name}")

    def _write(self, name: str, table: DataFrame) -> None:
        moment = MOMENTS.get(name)
        if moment is None:
            table.coalesce(1).write.parquet(f"{self._folder}/{name}")
            return
        dated = table.withColumns(
            {"date": sf.to_date(sf.col(moment)), "hour": sf.hour(sf.col(moment))}
        )
        dated.write.partitionBy("date", "hour").parquet(f"{self._folder}/{name}")


class _Streamed(_Alone):
    """The tables of these rows and earlier ones, in the parts that these rows affect."""

    def malformed(self) -> None:
        """Write files beside the existing ones."""
        found = tables.malformed(self._rows)
        if self._store.parts(MALFORMED, [""]) is None or not found.isEmpty():
            self._write(MALFORMED, found)

    def cells(self) -> DataFrame:
        return added_up(self._with("cells", super().cells(), self._hours_of_arrival()))

    def clients(self) -> DataFrame:
        return clients.added_up(self._with("clients", super().clients(), self._hours_of_arrival()))

    def top_waits(self) -> DataFrame:
        new = super().top_waits()
        known = self._with("top_waits", new, [""]).drop("rank")
        return tables.longest(known).select(new.columns)

    def produce_lag(self) -> DataFrame:
        new = self._with("produce_lag", super().produce_lag(), [""])
        return new.groupBy("lag_bucket", "parked_bucket").agg(sf.sum("count").alias("count"))

    def deliveries(self) -> DataFrame:
        appends, reads = appends_of(self._records), reads_of(self._records)
        stretches = _distinct(
            appends.select("block")
            .union(reads.select("block"))
            .select(sf.expr(f"concat('stretch=', {_STRETCH})"))
        )
        known_appends = self._store.parts(_APPENDS, stretches)
        all_appends = self._with(_APPENDS, appends, stretches)
        all_reads = self._with(_READS, reads, stretches)
        for name, ends in ((_APPENDS, all_appends), (_READS, all_reads)):
            by_stretch = ends.withColumn("stretch", sf.expr(_STRETCH))
            by_stretch.write.partitionBy("stretch").parquet(f"{self._folder}/{name}")
        found = deliveries(appends, all_reads)
        if known_appends is not None:
            found = found.unionByName(deliveries(known_appends, reads))
        # Written, so that the join is not repeated for the affected hours.
        found.write.parquet(f"{self._folder}/found")
        found = self._written("found", found)
        return first_of_each(self._with("deliveries", found, _hours(found, "appended")))

    def _with(self, name: str, new: DataFrame, parts: Iterable[str]) -> DataFrame:
        known = self._store.parts(name, parts)
        # Tables of older runs lack the columns that were added since.
        return new if known is None else known.unionByName(new, allowMissingColumns=True)

    def _hours_of_arrival(self) -> list[str]:
        arrived = self._records.select(sf.timestamp_micros("arrived_us").alias("arrived"))
        return _hours(arrived, "arrived")


def _hours(frame: DataFrame, moment: str) -> list[str]:
    """The parts of a dated table that contain a moment of these rows."""
    return _distinct(frame.select(sf.date_format(moment, "'date='yyyy-MM-dd'/hour='H")))


def _distinct(names: DataFrame) -> list[str]:
    return [name for (name,) in names.distinct().collect()]
