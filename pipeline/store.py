"""The output folder: new tables appear whole or not at all, and a run again replaces the last one.

A run writes into ``writing-<id>`` beside the tables, and only when everything is there do folders
change their names. Who dies on the way leaves a ``writing-`` folder, which the next run removes.

    OUT/tables/<name>/date=2026-11-21/hour=9/*.parquet
    OUT/rows/batch=<id>, OUT/cells/batch=<id>, OUT/checkpoint      when records are streamed
"""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline import tables
from pipeline.files import Files

WINDOWED = {"latency": "window", "waits": "window", "delivery_latency": "window"}
DATED = {**WINDOWED, "deliveries": "appended"}


class Store:
    """The tables of one output folder, under any path that Spark knows."""

    def __init__(self, spark: SparkSession, out: str) -> None:
        self.out = out.rstrip("/")
        self.files = Files(spark)
        self._spark = spark

    def table(self, name: str) -> DataFrame:
        """A table that was published."""
        return self._spark.read.parquet(f"{self.out}/tables/{name}")

    def begin(self) -> str:
        """A new folder to write into; what a dead run left behind is removed."""
        for left in self.files.glob(f"{self.out}/writing-*"):
            self.files.delete(left)
        # A run that died between the two renames of `publish` had the last tables moved away.
        for old in self.files.glob(f"{self.out}/replaced-*"):
            if self.files.exists(f"{self.out}/tables"):
                self.files.delete(old)
            else:
                self.files.rename(old, f"{self.out}/tables")
        folder = f"{self.out}/writing-{uuid.uuid4().hex[:12]}"
        self.files.make_folder(folder)
        return folder

    def write_tables(self, folder: str, rows: DataFrame, cells: DataFrame, window_s: int) -> None:
        """Compute every table into *folder*."""
        records = tables.records_of(rows)

        def write_deliveries() -> None:
            self._write(folder, "deliveries", tables.deliveries(records))
            delivered = self._spark.read.parquet(f"{folder}/deliveries")
            self._write(folder, "delivery_latency", tables.delivery_latency(delivered, window_s))

        # Small jobs leave cores idle; side by side they do not.
        with ThreadPoolExecutor(max_workers=2) as pool:
            jobs = [
                pool.submit(write_deliveries),
                pool.submit(self._write, folder, "latency", tables.latency(cells)),
                pool.submit(self._write, folder, "waits", tables.waits(cells)),
                pool.submit(self._write, folder, "top_waits", tables.top_waits(records)),
                pool.submit(self._write, folder, "produce_lag", tables.produce_lag(records)),
                pool.submit(self._write, folder, "malformed", tables.malformed(rows)),
            ]
            for job in jobs:
                job.result()

    def publish(self, folder: str) -> None:
        """Make *folder* the tables; the ones before are gone."""
        tables_folder = f"{self.out}/tables"
        replaced = f"{self.out}/replaced-{uuid.uuid4().hex[:12]}"
        if self.files.exists(tables_folder):
            self.files.rename(tables_folder, replaced)
        self.files.rename(folder, tables_folder)
        self.files.delete(replaced)

    def abandon(self, folder: str) -> None:
        """Remove what a failed run has written."""
        self.files.delete(folder)

    def _write(self, folder: str, name: str, table: DataFrame) -> None:
        moment = DATED.get(name)
        if moment is None:
            table.coalesce(1).write.parquet(f"{folder}/{name}")
            return
        dated = table.withColumns(
            {"date": sf.to_date(sf.col(moment)), "hour": sf.hour(sf.col(moment))}
        )
        dated.write.partitionBy("date", "hour").parquet(f"{folder}/{name}")
