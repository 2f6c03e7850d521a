"""The output folder: new tables are published atomically, and replace those of the last run.

A run writes into ``writing-<id>`` beside the tables. When all tables are complete, folders are
renamed. A run that is killed leaves a ``writing-`` folder, which the next run removes.

A stream replaces only the changed parts of tables. Its new parts become ``folding-<number>`` in one
step, which commits them: if the run is killed while the parts are moved, the next run continues.
The tables then contain the micro-batches up to that number.

    OUT/tables/<name>/date=2026-11-21/hour=9/*.parquet
    OUT/rows/batch=<number>, OUT/folded/window=<s>/<number>, OUT/checkpoint     when streamed
    OUT/topics/batch=<number>                        when streamed, names of topics by their ids
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from pipeline.errors import PipelineError
from pipeline.files import Files

MALFORMED = "malformed"
# A table is replaced as a whole by one with more rows.
_PARTS = ("*/date=*/hour=*", "_log/*/stretch=*", "top_waits", "produce_lag")


class Store:
    """The tables of one output folder, under any path that Spark supports."""

    def __init__(self, spark: SparkSession, out: str) -> None:
        self.out = out.rstrip("/")
        self.files = Files(spark)
        self._spark = spark

    def table(self, name: str) -> DataFrame:
        """Return a published table."""
        return self._spark.read.parquet(f"{self.out}/tables/{name}")

    def has_rows(self, name: str) -> bool:
        """Whether a table by date and hour has rows; without rows, it has no columns."""
        return bool(self.files.glob(f"{self.out}/tables/{name}/date=*"))

    def parts(self, name: str, folders: Iterable[str]) -> DataFrame | None:
        """Return the published rows in some *folders* of a table; None if there are none."""
        paths = [f"{self.out}/tables/{name}/{folder}" for folder in folders]
        there = [path for path in paths if self.files.exists(path)]
        return self._spark.read.parquet(*there) if there else None

    def begin(self) -> str:
        """Return a new folder to write into; the remains of a killed run are removed."""
        for left in self.files.glob(f"{self.out}/writing-*"):
            self.files.delete(left)
        # A run that was killed between the two renames of `publish` has moved the last tables away.
        for old in self.files.glob(f"{self.out}/replaced-*"):
            if self.files.exists(f"{self.out}/tables"):
                self.files.delete(old)
            else:
                self.files.rename(old, f"{self.out}/tables")
        folder = f"{self.out}/writing-{uuid.uuid4().hex[:12]}"
        self.files.make_folder(folder)
        return folder

    def publish(self, folder: str) -> None:
        """Replace the tables by those in *folder*."""
        tables_folder = f"{self.out}/tables"
        replaced = f"{self.out}/replaced-{uuid.uuid4().hex[:12]}"
        if self.files.exists(tables_folder):
            self.files.rename(tables_folder, replaced)
        self.files.rename(folder, tables_folder)
        self.files.delete(replaced)

    def abandon(self, folder: str) -> None:
        """Remove the files of a failed run."""
        self.files.delete(folder)

    @property
    def is_streamed(self) -> bool:
        """Whether the tables are those of a stream."""
        return self.files.exists(f"{self.out}/folded")

    def stream(self, window_s: int) -> None:
        """Mark the tables as those of a stream with windows of *window_s* seconds."""
        if not self.is_streamed and self.files.exists(f"{self.out}/tables"):
            raise PipelineError(f"{self.out} has the tables of a single run; take another --out")
        begun = {at.rpartition("=")[2] for at in self.files.glob(f"{self.out}/folded/window=*")}
        if begun - {str(window_s)}:
            raise PipelineError(
                f"--window {window_s}: {self.out} was begun with {', '.join(begun)}; take that, or"
                " another --out"
            )
        self.files.make_folder(f"{self.out}/folded/window={window_s}")
        self.carry_on()

    def batch(self, number: int) -> str:
        """The folder of a micro-batch's rows until they are in the tables."""
        return f"{self.out}/rows/batch={number}"

    def topics(self, number: int) -> str:
        """The folder of the topics that a micro-batch of request logs describes; it is kept."""
        return f"{self.out}/topics/batch={number}"

    def described(self) -> DataFrame | None:
        """The names and ids of topics in all micro-batches; None if there are none."""
        folders = self.files.glob(f"{self.out}/topics/batch=*")
        return self._spark.read.parquet(*folders).distinct() if folders else None

    def batches(self) -> list[int]:
        """Return the numbers of complete micro-batches that are not in the tables yet."""
        # Spark writes this mark when all files of a folder are complete.
        marks = self.files.glob(f"{self.out}/rows/batch=*/_SUCCESS")
        return sorted(_number(mark.removesuffix("/_SUCCESS")) for mark in marks)

    def folded(self) -> int:
        """Return the number of the last micro-batch in the tables; -1 if there is none."""
        marks = self.files.glob(f"{self.out}/folded/window=*/batch=*")
        return max(map(_number, marks), default=-1)

    def fold(self, folder: str, number: int) -> None:
        """Move the parts in *folder* into their tables, and record micro-batches up to *number*."""
        self.files.rename(folder, f"{self.out}/folding={number}")
        self.carry_on()

    def carry_on(self) -> None:
        """Finish what `fold` has begun, as often as it takes."""
        for folding in self.files.glob(f"{self.out}/folding=*"):
            for part in [each for kind in _PARTS for each in self.files.glob(f"{folding}/{kind}")]:
                place = f"{self.out}/tables/{part.removeprefix(folding).lstrip('/')}"
                self.files.delete(place)
                self._move(part, place)
            for file in self.files.glob(f"{folding}/{MALFORMED}/*.parquet"):
                self._move(file, f"{self.out}/tables/{MALFORMED}/{file.rpartition('/')[2]}")
            number = _number(folding)
            [window] = self.files.glob(f"{self.out}/folded/window=*")
            self.files.make_folder(f"{window}/batch={number}")
            for before in self.files.glob(f"{window}/batch=*"):
                if _number(before) < number:
                    self.files.delete(before)
            for done in self.batches():
                if done <= number:
                    self.files.delete(self.batch(done))
            self.files.delete(folding)

    def _move(self, old: str, new: str) -> None:
        self.files.make_folder(new.rpartition("/")[0])
        self.files.rename(old, new)


def _number(name: str) -> int:
    return int(name.rpartition("=")[2])
