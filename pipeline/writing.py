"""Computes the tables of a run, from new records alone or in addition to a stream's tables.

A stream's tables summarise all records read before. New records are added to the affected parts of
tables (the hours of their windows and of the batches that they deliver); other parts remain
unchanged, whatever their number.

To find deliveries across micro-batches, the stream keeps its appends and reads by ranges of
offsets. A part is read again only if new records are in the same range of a log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.computation import blame, clients, tables
from pipeline.computation.cells import added_up, cells
from pipeline.computation.deliveries import appends_of, deliveries, first_of_each, reads_of
from pipeline.output.manifest import STATE, TABLES
from pipeline.output.published import Published
from pipeline.output.store import MALFORMED, Run

WINDOWED = {"blame", "cells", "clients", "latency", "waits", "delivery_latency"}
MOMENTS = {**dict.fromkeys(WINDOWED, "window"), "deliveries": "appended"}

# The offsets whose appends and reads are stored in one part.
_STRETCH = "block div 400"
_APPENDS, _READS = f"{STATE}/appends", f"{STATE}/reads"


def write_tables(spark: SparkSession, run: Run, rows: DataFrame, window_s: int) -> None:
    """Compute every table of *rows* into the folders of *run*."""
    _do(_Alone(spark, run, rows, window_s).jobs())


def add_tables(
    spark: SparkSession, published: Published, run: Run, rows: DataFrame, window_s: int
) -> None:
    """Compute the parts of *published* tables to which *rows* add something, with these rows."""
    _do(_Streamed(spark, published, run, rows, window_s).jobs())


def _do(jobs: Iterable[Callable[[], object]]) -> None:
    # Small jobs leave cores idle, so they run concurrently.
    with ThreadPoolExecutor(max_workers=2) as pool:
        for job in [pool.submit(job) for job in jobs]:
            job.result()


class _Alone:
    """The tables of these rows only."""

    def __init__(self, spark: SparkSession, run: Run, rows: DataFrame, window_s: int) -> None:
        self._spark = spark
        self._run = run
        self._rows = rows
        self._window_s = window_s
        self._records = tables.records_of(rows)

    def jobs(self) -> list[Callable[[], object]]:
        """The jobs, the longest first."""
        return [
            self.delivered,
            self.counted,
            self.by_client,
            self.blamed,
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

    def blamed(self) -> None:
        """Write what caused the waiting."""
        self._write("blame", self.blame())

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

    def blame(self) -> DataFrame:
        return blame.blame(self._records, self._window_s)

    def deliveries(self) -> DataFrame:
        return deliveries(appends_of(self._records), reads_of(self._records))

    def top_waits(self) -> DataFrame:
        return tables.top_waits(self._spark, self._records)

    def produce_lag(self) -> DataFrame:
        return tables.produce_lag(self._records)

    def _written(self, name: str, like: DataFrame) -> DataFrame:
        # With its schema, because a table without rows has no file that contains it.
        return self._spark.read.schema(like.schema).parquet(self._folder(name))

    def _folder(self, name: str) -> str:
        return self._run.folder(f"{TABLES}/{name}")

    def _write(self, name: str, table: DataFrame) -> None:
        moment = MOMENTS.get(name)
        if moment is None:
            table.coalesce(1).write.parquet(self._folder(name))
            return
        dated = table.withColumns(
            {"date": sf.to_date(sf.col(moment)), "hour": sf.hour(sf.col(moment))}
        )
        dated.write.partitionBy("date", "hour").parquet(self._folder(name))


class _Streamed(_Alone):
    """The tables of these rows and earlier ones, in the parts that these rows affect."""

    def __init__(
        self,
        spark: SparkSession,
        published: Published,
        run: Run,
        rows: DataFrame,
        window_s: int,
    ) -> None:
        super().__init__(spark, run, rows, window_s)
        self._published = published
        self._found: DataFrame | None = None  # new deliveries

    def delivered(self) -> None:
        """Write the deliveries and their percentiles."""
        try:
            super().delivered()
        finally:
            if self._found is not None:
                self._found.unpersist()

    def malformed(self) -> None:
        """Write files beside the existing ones."""
        found = tables.malformed(self._rows)
        if not self._published.has_rows(MALFORMED) or not found.isEmpty():
            self._write(MALFORMED, found)

    def cells(self) -> DataFrame:
        new = self._with(f"{TABLES}/cells", super().cells(), self._hours_of_arrival())
        return added_up(new)

    def clients(self) -> DataFrame:
        new = self._with(f"{TABLES}/clients", super().clients(), self._hours_of_arrival())
        return clients.added_up(new)

    def blame(self) -> DataFrame:
        new = self._with(f"{TABLES}/blame", super().blame(), self._hours_of_arrival())
        return blame.added_up(new)

    def top_waits(self) -> DataFrame:
        new = super().top_waits()
        known = self._with(f"{TABLES}/top_waits", new, [""]).drop("rank")
        return tables.longest(known).select(new.columns)

    def produce_lag(self) -> DataFrame:
        new = self._with(f"{TABLES}/produce_lag", super().produce_lag(), [""])
        return new.groupBy("lag_bucket", "parked_bucket").agg(sf.sum("count").alias("count"))

    def deliveries(self) -> DataFrame:
        appends, reads = appends_of(self._records), reads_of(self._records)
        stretches = _distinct(
            appends.select("block")
            .union(reads.select("block"))
            .select(sf.expr(f"concat('stretch=', {_STRETCH})"))
        )
        known_appends = self._published.parts(_APPENDS, stretches)
        all_appends = self._with(_APPENDS, appends, stretches)
        all_reads = self._with(_READS, reads, stretches)
        for name, ends in ((_APPENDS, all_appends), (_READS, all_reads)):
            by_stretch = ends.withColumn("stretch", sf.expr(_STRETCH))
            by_stretch.write.partitionBy("stretch").parquet(self._run.folder(name))
        found = deliveries(appends, all_reads)
        if known_appends is not None:
            found = found.unionByName(deliveries(known_appends, reads))
        # Persisted, so that the join is not repeated for the affected hours.
        self._found = found = found.persist(StorageLevel.DISK_ONLY)
        return first_of_each(self._with(f"{TABLES}/deliveries", found, _hours(found, "appended")))

    def _with(self, name: str, new: DataFrame, parts: Iterable[str]) -> DataFrame:
        known = self._published.parts(name, parts)
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
