"""Tables appear whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.store import DATED, Store

pytestmark = pytest.mark.jvm


def test_dated_tables_lie_by_date_and_hour(analysed: Store) -> None:
    """One folder an hour, so that a reader opens only what it asks for."""
    for name in DATED:
        assert (Path(analysed.out) / "tables" / name / "date=2025-11-21" / "hour=9").is_dir()
    assert not list(Path(analysed.out).glob("writing-*"))


def test_what_a_dead_run_left_is_removed(spark: SparkSession, tmp_path: Path) -> None:
    """Its half-written folder is never taken for tables."""
    (tmp_path / "writing-dead" / "latency").mkdir(parents=True)
    writing = Store(spark, str(tmp_path)).begin()

    assert [path.name for path in tmp_path.iterdir()] == [Path(writing).name]


def test_a_death_between_two_renames_loses_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """The tables that had been moved away come back."""
    (tmp_path / "replaced-1" / "waits").mkdir(parents=True)
    Store(spark, str(tmp_path)).begin()

    assert (tmp_path / "tables" / "waits").is_dir()


def test_publishing_replaces_all_tables(spark: SparkSession, tmp_path: Path) -> None:
    """None of the last run's remains."""
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
    """And the documentation has no other."""
    text = Path(__file__).parents[2].joinpath("docs", "pipeline.md").read_text()
    told = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))

    assert {path.name for path in (Path(analysed.out) / "tables").iterdir()} == told
