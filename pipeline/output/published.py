"""Reads one complete set of tables, as a manifest names it."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from pipeline.output.delta import rows_in, table_of
from pipeline.output.manifest import TABLES, Manifest


class Published:
    """The tables of a manifest; they do not change while newer ones are published."""

    def __init__(self, spark: SparkSession, out: str, manifest: Manifest) -> None:
        self.manifest = manifest
        self._spark = spark
        self._out = out

    def table(self, name: str) -> DataFrame:
        """Return a table, with the columns ``date`` and ``hour`` if it has a time."""
        folder = f"{TABLES}/{name}"
        if folder in self.manifest.versions:
            return self._delta(folder)
        files = [f"{self._out}/{file}" for file in self.manifest.files[folder]]
        reader = self._spark.read.option("basePath", f"{self._out}/{folder}")
        return reader.parquet(*files).drop("run")

    def has_rows(self, name: str) -> bool:
        """Whether a table by date and hour has rows; without rows, it has no files.

        A Delta table without rows has had some in an earlier version.
        """
        folder = f"{TABLES}/{name}"
        return folder in self.manifest.versions or bool(self.manifest.files.get(folder))

    def parts(self, folder: str, parts: Iterable[str]) -> DataFrame | None:
        """Return the rows in some parts of ``tables/NAME`` or ``state/NAME``; None without any."""
        if folder in self.manifest.versions:
            parts = [*parts]
            return rows_in(self._delta(folder), parts) if parts else None
        files = [f"{self._out}/{file}" for file in self.manifest.named(folder, parts)]
        return self._spark.read.parquet(*files) if files else None

    def _delta(self, folder: str) -> DataFrame:
        version = self.manifest.versions[folder]
        return table_of(self._spark, f"{self._out}/{folder}", version)
