"""Tables are published atomically."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.errors import PipelineError
from pipeline.files import Files
from pipeline.store import Store
from pipeline.writing import MOMENTS

pytestmark = pytest.mark.jvm


def test_dated_tables_have_folders_by_date_and_hour(analysed: Store) -> None:
    """Readers open only the hours that they need."""
    for name in MOMENTS:
        assert (Path(analysed.out) / "tables" / name / "date=2025-11-21" / "hour=9").is_dir()
    assert not list(Path(analysed.out).glob("writing-*"))


def test_the_files_of_a_killed_run_are_removed(spark: SparkSession, tmp_path: Path) -> None:
    """Its partial folder is never used as tables."""
    (tmp_path / "writing-dead" / "latency").mkdir(parents=True)
    writing = Store(spark, str(tmp_path)).begin()

    assert [path.name for path in tmp_path.iterdir()] == [Path(writing).name]


def test_a_kill_between_two_renames_loses_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """The moved tables are restored."""
    (tmp_path / "replaced-1" / "waits").mkdir(parents=True)
    Store(spark, str(tmp_path)).begin()

    assert (tmp_path / "tables" / "waits").is_dir()


def test_publishing_replaces_all_tables(spark: SparkSession, tmp_path: Path) -> None:
    """No table of the previous run remains."""
    store = Store(spark, str(tmp_path))
    (tmp_path / "tables" / "old").mkdir(parents=True)
    writing = store.begin()
    store.files.make_folder(f"{writing}/new")
    store.publish(writing)

    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == [
        "tables",
        "tables/new",
    ]


def test_every_table_is_in_the_documentation(analysed: Store) -> None:
    """The documentation lists exactly these tables."""
    text = Path(__file__).parents[2].joinpath("docs", "reference", "analysis.md").read_text()
    section = text.split("\n## Tables\n")[1].split("\n## ")[0]
    reported = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))

    assert {path.name for path in (Path(analysed.out) / "tables").iterdir()} == reported


def folding(out: Path, number: int) -> None:
    """Write a stream's new parts up to a micro-batch."""
    for part in ("cells/date=2025-11-21/hour=9", "cells/date=2025-11-21/hour=10", "top_waits"):
        (out / "writing-1" / part).mkdir(parents=True)
        (out / "writing-1" / part / "new.parquet").write_text(str(number))
    (out / "writing-1" / "malformed").mkdir()
    (out / "writing-1" / "malformed" / f"{number}.parquet").write_text("")
    for batch in range(number + 2):
        (out / "rows" / f"batch={batch}").mkdir(parents=True)
        (out / "rows" / f"batch={batch}" / "_SUCCESS").write_text("")


def tables(out: Path) -> dict[str, str]:
    """The files of all tables."""
    files = (out / "tables").rglob("*.parquet")
    return {str(file.relative_to(out / "tables")): file.read_text() for file in files}


def test_a_stream_replaces_the_changed_parts(spark: SparkSession, tmp_path: Path) -> None:
    """Other parts remain, malformed rows are added, and merged micro-batches are removed."""
    store = Store(spark, str(tmp_path))
    store.stream(60)
    for name in ("cells/date=2025-11-21/hour=8", "cells/date=2025-11-21/hour=9", "malformed"):
        (tmp_path / "tables" / name).mkdir(parents=True)
        (tmp_path / "tables" / name / "old.parquet").write_text("")
    folding(tmp_path, 3)
    store.fold(str(tmp_path / "writing-1"), 3)

    assert tables(tmp_path) == {
        "cells/date=2025-11-21/hour=8/old.parquet": "",
        "cells/date=2025-11-21/hour=9/new.parquet": "3",
        "cells/date=2025-11-21/hour=10/new.parquet": "3",
        "top_waits/new.parquet": "3",
        "malformed/old.parquet": "",
        "malformed/3.parquet": "",
    }
    assert (store.folded(), store.batches()) == (3, [4])
    assert {path.name for path in tmp_path.iterdir()} == {"tables", "folded", "rows"}


def test_a_kill_at_any_step_of_folding_is_recovered(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first step nothing has changed; after it the next run completes the rest."""
    whole = {"cells/date=2025-11-21/hour=9/new.parquet": "0", "malformed/0.parquet": ""}
    whole |= {"cells/date=2025-11-21/hour=10/new.parquet": "0", "top_waits/new.parquet": "0"}
    outcomes = set()
    for steps in range(40):
        out = tmp_path / str(steps)
        store = Store(spark, str(out))
        store.stream(60)
        folding(out, 0)
        with monkeypatch.context() as patched:
            patched.setattr(store, "files", Dying(spark, steps))
            try:
                store.fold(str(out / "writing-1"), 0)
                died = False
            except DiedError:
                died = True
        again = Store(spark, str(out))
        again.stream(60)
        folded = again.folded() == 0
        assert again.batches() == ([1] if folded else [0, 1])
        assert tables(out) == (whole if folded else {})
        outcomes.add((died, folded))
        if not died:
            break
    assert outcomes == {(True, False), (True, True), (False, True)}


def test_a_stream_does_not_continue_other_tables(spark: SparkSession, tmp_path: Path) -> None:
    """Tables of a single run do not contain the offsets that were read."""
    (tmp_path / "tables").mkdir()
    with pytest.raises(PipelineError, match="has the tables of a single run; take another --out"):
        Store(spark, str(tmp_path)).stream(60)


class DiedError(Exception):
    """Simulates the end of the process."""


class Dying(Files):
    """A file system that fails after a number of changes."""

    def __init__(self, spark: SparkSession, steps: int) -> None:
        super().__init__(spark)
        self._steps = steps

    def _lived(self) -> None:
        if self._steps == 0:
            raise DiedError
        self._steps -= 1

    def delete(self, name: str) -> None:
        """Count a change."""
        self._lived()
        super().delete(name)

    def rename(self, old: str, new: str) -> None:
        """Count a change."""
        self._lived()
        super().rename(old, new)

    def make_folder(self, name: str) -> None:
        """Count a change."""
        self._lived()
        super().make_folder(name)
