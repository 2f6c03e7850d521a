"""Reads one complete set of tables, as a manifest names it."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from pipeline.manifest import TABLES, Manifest


class Published:
    """The tables of a manifest; they do not change while newer ones are published."""

    def __init__(self, spark: SparkSession, out: str, manifest: Manifest) -> None:
        self.manifest = manifest
        self._spark = spark
        self._out = out

    def table(self, name: str) -> DataFrame:
        """Return a table, with the columns ``date`` and ``hour`` if it has a time."""
        folder = f"{TABLES}/{name}"
        files = [f"{self._out}/{file}" for file in self.manifest.files[folder]]
        reader = self._spark.read.option("basePath", f"{self._out}/{folder}")
        return reader.parquet(*files).drop("run")

    def has_rows(self, name: str) -> bool:
        """Whether a table by date and hour has rows; without rows, it has no files."""
        return bool(self.manifest.files.get(f"{TABLES}/{name}"))

    def parts(self, folder: str, parts: Iterable[str]) -> DataFrame | None:
        """Return the rows in some parts of ``tables/NAME`` or ``state/NAME``; None without any."""
        files = [f"{self._out}/{file}" for file in self.manifest.named(folder, parts)]
        return self._spark.read.parquet(*files) if files else None
