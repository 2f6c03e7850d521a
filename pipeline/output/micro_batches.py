"""The micro-batches of a stream, whose rows are kept until they are in the tables.

OUT/rows/batch=<number>      the rows of a micro-batch
OUT/topics/batch=<number>    the topics that a micro-batch of request logs describes; they stay
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from pipeline.output.files import Files


class MicroBatches:
    """The micro-batches in one output folder."""

    def __init__(self, spark: SparkSession, out: str) -> None:
        self.files = Files(spark)
        self._spark = spark
        self._out = out.rstrip("/")

    def rows(self, number: int) -> str:
        """The folder of a micro-batch's rows."""
        return f"{self._out}/rows/batch={number}"

    def topics(self, number: int) -> str:
        """The folder of the topics that a micro-batch describes."""
        return f"{self._out}/topics/batch={number}"

    def described(self) -> DataFrame | None:
        """The names and ids of topics in all micro-batches; None if there are none."""
        folders = self.files.glob(f"{self._out}/topics/batch=*")
        return self._spark.read.parquet(*folders).distinct() if folders else None

    def complete(self, after: int) -> list[int]:
        """Return the numbers of complete micro-batches that follow *after*."""
        # Spark writes this mark when all files of a folder are complete.
        marks = self.files.glob(f"{self._out}/rows/batch=*/_SUCCESS")
        numbers = (_number(mark.removesuffix("/_SUCCESS")) for mark in marks)
        return sorted(number for number in numbers if number > after)

    def remove(self, up_to: int) -> None:
        """Remove the rows of micro-batches that are in the tables."""
        for folder in self.files.glob(f"{self._out}/rows/batch=*"):
            if _number(folder) <= up_to:
                self.files.delete(folder)


def _number(name: str) -> int:
    return int(name.rpartition("=")[2])
