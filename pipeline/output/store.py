"""The output folder: each publication of tables replaces the manifest, in one step for readers.

A run writes each table to a folder of its own, and never changes a file. Then `OUT/tables.json`
(`pipeline.output.manifest`) is replaced by one that names the new files. A run that is killed
before that leaves files that no manifest names; the next run removes them. A stream replaces only
the changed parts of tables, and its manifest has the number of the last micro-batch in them.

    OUT/tables.json
    OUT/tables/<name>/run=<id>/date=2026-11-21/hour=9/*.parquet
    OUT/state/<name>/run=<id>/stretch=<number>/*.parquet      when streamed

Delta tables (`pipeline.output.delta`) are written from files of the run, which are then removed:

    OUT/tables.json                                           names their versions
    OUT/tables/<name>/_delta_log
    OUT/computed/<name>/run=<id>/date=2026-11-21/hour=9/*.parquet
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from pipeline.errors import PipelineError
from pipeline.output import manifest
from pipeline.output.delta import DeltaTables
from pipeline.output.files import Files
from pipeline.output.manifest import DELTA, PARQUET, STATE, TABLES, FileNames, Manifest, Replaced
from pipeline.output.published import Published

MALFORMED = "malformed"
# Rows of a stream are added to these tables; parts of others are replaced.
_ADDED_TO = (f"{TABLES}/{MALFORMED}",)
# For which files stay after they were replaced, so that readers can finish.
GRACE_S = 600.0
_COMPUTED = "computed"


class Run:
    """The files of one run, which are not read before they are published."""

    def __init__(self, out: str, table_format: str) -> None:
        # With a letter first: Spark reads the value of a part as a number if it can, and did not
        # compute 84e320095478 within minutes.
        self.id = f"r{uuid.uuid4().hex[:12]}"
        self.table_format = table_format
        self._out = out

    def folder(self, name: str) -> str:
        """The folder for the files of ``tables/NAME`` or ``state/NAME``."""
        if self.table_format == DELTA and name.startswith(f"{TABLES}/"):
            name = f"{_COMPUTED}/{name.removeprefix(f'{TABLES}/')}"
        return f"{self._out}/{name}/run={self.id}"


class Store:
    """The tables of one output folder, under any path that Spark supports.

    One run writes at a time; any number of readers may read.
    """

    def __init__(
        self, spark: SparkSession, out: str, now_s: Callable[[], float] = time.time
    ) -> None:
        self.out = out.rstrip("/")
        self.files = Files(spark)
        self._spark = spark
        self._now_s = now_s
        self._delta = DeltaTables(spark, self.out, self.files)

    def manifest(self) -> Manifest | None:
        """Return the present manifest; None before the first publication."""
        text = self.files.read(f"{self.out}/{manifest.NAME}")
        return None if text is None else manifest.from_json(text)

    def published(self) -> Published:
        """Return the present tables; raises `PipelineError` if there are none."""
        present = self.manifest()
        if present is None:
            raise PipelineError(f"{self.out} has no tables")
        return Published(self._spark, self.out, present)

    def table(self, name: str) -> DataFrame:
        """Return a published table."""
        return self.published().table(name)

    def clean(self) -> None:
        """Remove the files of runs that were killed; called before the first run of a process."""
        self._remove_unpublished("run=*")

    def check_format(self, table_format: str) -> None:
        """Raise `PipelineError` if there are tables in another format."""
        present = self.manifest()
        if present is not None and present.table_format != table_format:
            raise PipelineError(
                f"--format {table_format}: {self.out} has tables in {present.table_format}; take"
                f" --format {present.table_format}, or another --out"
            )
        # Without a manifest, a Delta table is one of a run that was killed.
        killed = self.files.glob(f"{self.out}/{TABLES}/*/_delta_log")
        if present is None and table_format == DELTA and self._of_older_versions() and not killed:
            raise PipelineError(f"{self.out} has tables of an older version; take another --out")

    def begin(self, table_format: str = PARQUET) -> Run:
        """Return a new run."""
        return Run(self.out, table_format)

    def publish(self, run: Run, window_s: int) -> None:
        """Replace all tables by those of *run*, a single one."""
        old = self.manifest() or Manifest(window_s, replaced=self._of_older_versions())
        versions = self._delta.replace(self._computed(run), old.versions)
        form = run.table_format
        new = Manifest(window_s, files=self._written(run), table_format=form, versions=versions)
        self._switch(old, new)
        self._remove_computed()

    def add(self, run: Run, micro_batch: int) -> None:
        """Replace the parts of a stream's tables that *run* has, up to *micro_batch*."""
        old = self.published().manifest
        files = manifest.updated(old.files, self._written(run), _ADDED_TO)
        versions = {**old.versions, **self._delta.add(self._computed(run), _ADDED_TO)}
        self._switch(old, replace(old, micro_batch=micro_batch, files=files, versions=versions))
        self._remove_computed()

    def abandon(self, run: Run) -> None:
        """Remove the files of a failed run, and restore the published Delta tables."""
        # An interrupt may come between the publication and the end of the run.
        self._remove_unpublished(f"run={run.id}")

    @property
    def is_streamed(self) -> bool:
        """Whether the tables are those of a stream."""
        present = self.manifest()
        return present is not None and present.micro_batch is not None

    def stream(self, window_s: int, table_format: str = PARQUET) -> None:
        """Begin or continue a stream with windows of *window_s* seconds."""
        self.check_format(table_format)
        self.clean()
        present = self.manifest()
        if present is None:
            if self.files.exists(f"{self.out}/folded"):
                raise PipelineError(
                    f"{self.out} has a stream of an older version; take another --out"
                )
            self._write(Manifest(window_s, micro_batch=-1, table_format=table_format))
        elif present.micro_batch is None:
            raise PipelineError(f"{self.out} has the tables of a single run; take another --out")
        elif present.window_s != window_s:
            raise PipelineError(
                f"--window {window_s}: {self.out} was begun with {present.window_s}; take that, or"
                " another --out"
            )

    def _switch(self, old: Manifest, new: Manifest) -> None:
        """Remove what was replaced long ago, then publish *new* in one step."""
        now_s = self._now_s()
        gone = tuple(sorted(_current(old) - _current(new)))
        remaining = old.without_expired(now_s - GRACE_S)
        replaced = (*remaining, Replaced(now_s, gone)) if gone else remaining
        new = replace(new, replaced=replaced)
        runs = set(map(_run_folder, new.folders()))
        expired = old.expired(now_s - GRACE_S)
        # A run of which no part is needed any more is removed with all that Spark has written.
        unused = {name if _run_folder(name) in runs else _run_folder(name) for name in expired}
        for folder in sorted(unused):
            self.files.delete(f"{self.out}/{folder}")
        self._write(new)

    def _write(self, new: Manifest) -> None:
        self.files.replace(f"{self.out}/{manifest.NAME}", manifest.to_json(new))

    def _written(self, run: Run) -> FileNames:
        """The files of *run*, relative to the output folder."""
        written: dict[str, tuple[str, ...]] = {}
        for path in self._in_tables(f"run={run.id}"):
            folder = _below_out(path)
            found = self.files.below(path)
            names = [name.removeprefix(f"{path}/") for name in found if name.endswith(".parquet")]
            table = manifest.folder_of(folder)
            written[table] = tuple(sorted(f"{folder}/{name}" for name in names))
        return written

    def _computed(self, run: Run) -> dict[str, str]:
        """The folders of *run* with rows that Delta tables take, by the folder of the table."""
        return {
            f"{TABLES}/{path.split('/')[-2]}": path
            for path in self.files.glob(f"{self.out}/{_COMPUTED}/*/run={run.id}")
            if any(name.endswith(".parquet") for name in self.files.below(path))
        }

    def _remove_computed(self) -> None:
        self.files.delete(f"{self.out}/{_COMPUTED}")

    def _remove_unpublished(self, pattern: str) -> None:
        """Remove what runs have computed, and undo what they have written to Delta tables."""
        present = self.manifest()
        known = set() if present is None else set(map(_run_folder, present.folders()))
        for path in self._in_tables(pattern):
            if _below_out(path) not in known:
                self.files.delete(path)
        self._remove_computed()
        self._delta.reset({} if present is None else present.versions)

    def _in_tables(self, pattern: str) -> list[str]:
        """The paths of the folders of tables that match a pattern."""
        kinds = (f"{self.out}/{kind}/*/{pattern}" for kind in (TABLES, STATE))
        return [path for each in kinds for path in self.files.glob(each)]

    def _of_older_versions(self) -> tuple[Replaced, ...]:
        """The tables of versions without a manifest, if there are any."""
        paths = self.files.glob(f"{self.out}/{TABLES}/*/*")
        folders = tuple(_below_out(path) for path in paths if "/run=" not in path)
        return (Replaced(self._now_s(), folders),) if folders else ()


def _current(present: Manifest) -> set[str]:
    """The folders of the files that readers of a manifest use."""
    return replace(present, replaced=()).folders()


def _run_folder(name: str) -> str:
    """The folder of a run in a table: ``tables/latency/run=1f``."""
    return "/".join(name.split("/")[:3])


def _below_out(path: str) -> str:
    """The path of a folder of a run relative to the output folder."""
    return "/".join(path.split("/")[-3:])
