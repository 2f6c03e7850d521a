"""The output folder: runs, their publication, and the removal of replaced files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.conftest import WINDOW_S
from pipeline.batch import analyse
from pipeline.errors import PipelineError
from pipeline.output.manifest import DELTA
from pipeline.output.store import GRACE_S, Run, Store
from pipeline.sources import FileSource
from pipeline.writing import MOMENTS

pytestmark = pytest.mark.jvm

HOURS = tuple(f"date=2025-11-21/hour={hour}" for hour in (8, 9, 10))


class Clock:
    """A time that a test sets."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        """The time in seconds since the epoch."""
        return self.now_s


def write(run: Run, name: str, part: str, text: str) -> None:
    """Write a file of a table, as Spark does."""
    folder = Path(run.folder(name)) / part
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "0.parquet").write_text(text)


def published(store: Store) -> dict[str, str]:
    """The contents of the published files, by table and part."""
    files = store.published().manifest.files
    return {
        re.sub(r"/run=\w+|/0.parquet", "", name): Path(store.out, name).read_text()
        for names in files.values()
        for name in names
    }


def runs(store: Store) -> int:
    """The number of folders of runs that are there."""
    return len([*Path(store.out).glob("*/*/run=*")])


def test_dated_tables_have_folders_by_date_and_hour(analysed: Store) -> None:
    """Readers open only the hours that they need."""
    files = analysed.published().manifest.files
    for name in MOMENTS:
        assert all("/date=2025-11-21/hour=9/" in file for file in files[f"tables/{name}"]), name


def test_the_manifest_names_all_files(analysed: Store) -> None:
    """A single run leaves no other files."""
    named = {name for names in analysed.published().manifest.files.values() for name in names}

    assert {
        str(path.relative_to(analysed.out)) for path in Path(analysed.out).rglob("*.parquet")
    } == named


def test_every_table_is_in_the_documentation(analysed: Store) -> None:
    """The documentation lists exactly these tables."""
    text = Path(__file__).parents[2].joinpath("docs", "reference", "analysis.md").read_text()
    section = text.split("\n## Tables\n")[1].split("\n## ")[0]
    reported = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))

    files = analysed.published().manifest.files
    assert {name.removeprefix("tables/") for name in files} == reported


def test_a_folder_has_one_format(spark: SparkSession, recorded: Path, analysed: Store) -> None:
    """Files of Parquet in the folder of a Delta table would be removed with its old versions."""
    source, before = FileSource((str(recorded),)), analysed.manifest()

    with pytest.raises(PipelineError, match=r"^--format delta: .* has tables in parquet; take"):
        analyse(spark, source, analysed.out, WINDOW_S, lambda _: None, table_format=DELTA)
    assert analysed.manifest() == before


def test_delta_tables_of_a_killed_first_run_are_removed(
    spark: SparkSession, tmp_path: Path
) -> None:
    """No manifest names a version of them."""
    (tmp_path / "tables" / "waits" / "_delta_log").mkdir(parents=True)
    (tmp_path / "computed" / "waits").mkdir(parents=True)
    Store(spark, str(tmp_path)).clean()

    assert [path.name for path in tmp_path.rglob("*")] == ["tables"]


def test_the_files_of_a_killed_run_are_removed(spark: SparkSession, tmp_path: Path) -> None:
    """No manifest names them."""
    store = Store(spark, str(tmp_path))
    write(store.begin(), "tables/waits", HOURS[0], "killed")
    assert runs(store) == 1
    store.clean()

    assert runs(store) == 0
    assert store.manifest() is None


def test_publishing_replaces_all_tables(spark: SparkSession, tmp_path: Path) -> None:
    """No table of the previous run remains."""
    store = Store(spark, str(tmp_path))
    for name in ("old", "new"):
        run = store.begin()
        write(run, f"tables/{name}", "", name)
        store.publish(run, 60)

    assert published(store) == {"tables/new": "new"}


def test_replaced_files_stay_for_a_while(spark: SparkSession, tmp_path: Path) -> None:
    """A reader that has read the manifest before can finish."""
    clock = Clock()
    store = Store(spark, str(tmp_path), clock)
    counted = []
    for wait_s in (0, GRACE_S - 1, 2):
        clock.now_s += wait_s
        run = store.begin()
        write(run, "tables/waits", HOURS[0], str(wait_s))
        store.publish(run, 60)
        counted.append(runs(store))

    assert counted == [1, 2, 3]
    clock.now_s += GRACE_S - 1  # the first was replaced before that, the second was not
    run = store.begin()
    write(run, "tables/waits", HOURS[0], "last")
    store.publish(run, 60)
    assert runs(store) == 3


def test_the_tables_of_an_older_version_are_removed_later(
    spark: SparkSession, tmp_path: Path
) -> None:
    """They have no manifest and no folders of runs."""
    old = tmp_path / "tables" / "waits" / "date=2025-11-21" / "hour=9"
    old.mkdir(parents=True)
    clock = Clock()
    store = Store(spark, str(tmp_path), clock)
    for wait_s in (0, GRACE_S + 1):
        clock.now_s += wait_s
        assert old.exists()
        run = store.begin()
        write(run, "tables/waits", HOURS[0], "new")
        store.publish(run, 60)

    assert not old.exists()
    assert published(store) == {f"tables/waits/{HOURS[0]}": "new"}


def test_a_stream_replaces_the_changed_parts(spark: SparkSession, tmp_path: Path) -> None:
    """Other parts remain, and malformed rows are added."""
    store = Store(spark, str(tmp_path))
    store.stream(60)
    for number, hours in enumerate((HOURS[:2], HOURS[1:])):
        run = store.begin()
        for hour in hours:
            write(run, "tables/cells", hour, str(number))
        write(run, "tables/top_waits", "", str(number))
        write(run, "tables/malformed", f"{number}", str(number))
        write(run, "state/reads", "stretch=0", str(number))
        store.add(run, number)

    assert published(store) == {
        f"tables/cells/{HOURS[0]}": "0",
        f"tables/cells/{HOURS[1]}": "1",
        f"tables/cells/{HOURS[2]}": "1",
        "tables/top_waits": "1",
        "tables/malformed/0": "0",
        "tables/malformed/1": "1",
        "state/reads/stretch=0": "1",
    }
    assert store.published().manifest.micro_batch == 1


def test_a_stream_does_not_continue_other_tables(spark: SparkSession, tmp_path: Path) -> None:
    """Tables of a single run do not contain the offsets that were read."""
    store = Store(spark, str(tmp_path))
    run = store.begin()
    write(run, "tables/waits", "", "")
    store.publish(run, 60)
    with pytest.raises(PipelineError, match="has the tables of a single run; take another --out"):
        store.stream(60)
