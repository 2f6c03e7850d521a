"""Delta Lake tables below the output folder: one Delta commit publishes a table.

A run computes its tables as Parquet files in ``OUT/computed/NAME``. At the end each is written to
the Delta table ``OUT/tables/NAME``, and the manifest names the version of every table. A version
that no manifest names is undone by a restoration of the named one, which is a commit as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.readwriter import DataFrameWriter

from pipeline.output.files import Files

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # Of Delta's own log. The default of 50 tasks took six times as long with two cores.
    "spark.databricks.delta.snapshotPartitions": "1",
}
_DATED = ("date", "hour")


class DeltaTables:
    """The Delta tables of one output folder, by the folder of each, such as ``tables/latency``."""

    def __init__(self, spark: SparkSession, out: str, files: Files) -> None:
        self._spark = spark
        self._out = out
        self._files = files

    def replace(self, computed: Mapping[str, str], old: Iterable[str]) -> dict[str, int]:
        """Replace the tables by those in the folders *computed*, and return their versions.

        *old* tables that were not computed have no rows then.
        """
        jobs = {name: partial(self._replace, name, folder) for name, folder in computed.items()}
        empty = {name: partial(self._empty, name) for name in old if name not in computed}
        return self._do(jobs | empty)

    def add(self, computed: Mapping[str, str], added_to: Iterable[str]) -> dict[str, int]:
        """Replace the computed hours of dated tables and all of the others; return the versions.

        Rows of the tables in *added_to* are added.
        """
        return self._do(
            {
                name: partial(self._append if name in added_to else self._update, name, folder)
                for name, folder in computed.items()
            }
        )

    def reset(self, versions: Mapping[str, int]) -> None:
        """Restore these versions, and remove all tables without one."""
        restored = {}
        for log in self._files.glob(f"{self._out}/tables/*/_delta_log"):
            path = log.rpartition("/")[0]
            name = f"tables/{path.rpartition('/')[2]}"
            if name not in versions:
                self._files.delete(path)
            elif self._version(name) != versions[name]:
                restored[name] = partial(self._restore, path, versions[name])
        self._do(restored)

    def _do(self, jobs: Mapping[str, Callable[[], None]]) -> dict[str, int]:
        # Small jobs leave cores idle, so they run concurrently.
        with ThreadPoolExecutor(max_workers=2) as pool:
            for job in [pool.submit(job) for job in jobs.values()]:
                job.result()
        return {name: self._version(name) for name in jobs}

    def _replace(self, name: str, folder: str) -> None:
        writer = _writer(self._spark.read.parquet(folder)).mode("overwrite")
        writer.option("overwriteSchema", "true").save(self._path(name))

    def _empty(self, name: str) -> None:
        present = self._spark.read.format("delta").load(self._path(name))
        _writer(present.where("false")).mode("overwrite").save(self._path(name))

    def _update(self, name: str, folder: str) -> None:
        rows = self._spark.read.parquet(folder)
        if not _dated(rows):
            self._replace(name, folder)
            return
        writer = _writer(rows).mode("overwrite").option("partitionOverwriteMode", "dynamic")
        writer.option("mergeSchema", "true").save(self._path(name))

    def _append(self, name: str, folder: str) -> None:
        writer = _writer(self._spark.read.parquet(folder)).mode("append")
        writer.option("mergeSchema", "true").save(self._path(name))

    def _restore(self, path: str, version: int) -> None:
        quoted = path.replace("`", "``")  # with its scheme: SQL refuses a relative path
        self._spark.sql(f"RESTORE TABLE delta.`{quoted}` TO VERSION AS OF {version}")

    def _version(self, name: str) -> int:
        """The last version. One run writes at a time, so it is the one that this run wrote."""
        logged = self._files.glob(f"{self._path(name)}/_delta_log/*.json")
        stems = (path.rpartition("/")[2].removesuffix(".json") for path in logged)
        return max((int(stem) for stem in stems if stem.isdigit()), default=-1)

    def _path(self, name: str) -> str:
        return f"{self._out}/{name}"


def table_of(spark: SparkSession, path: str, version: int) -> DataFrame:
    """Return a version of a Delta table."""
    return spark.read.format("delta").option("versionAsOf", version).load(path)


def rows_in(table: DataFrame, parts: Iterable[str]) -> DataFrame:
    """Return the rows in parts such as ``date=2025-11-21/hour=9``, without these columns."""
    if not _dated(table):
        return table
    # Delta evaluates this for each file, because it has no columns but those of the parts.
    part = "concat('date=', date, '/hour=', hour)"
    wanted = ", ".join(f"'{each}'" for each in parts)
    return table.where(f"{part} in ({wanted})").drop(*_DATED)


def _dated(table: DataFrame) -> bool:
    return set(_DATED) <= set(table.columns)


def _writer(rows: DataFrame) -> DataFrameWriter:
    writer = rows.write.format("delta")
    return writer.partitionBy(*_DATED) if _dated(rows) else writer
