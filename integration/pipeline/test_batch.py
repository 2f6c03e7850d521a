"""One complete analysis."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.conftest import BAD_LINES, RECORDS, WINDOW_S
from integration.pipeline.frames import plain
from pipeline.batch import Counts, analyse
from pipeline.errors import PipelineError
from pipeline.output.store import Store
from pipeline.sources import FileSource

pytestmark = pytest.mark.jvm


def run(spark: SparkSession, out: str | Path, *sources: Path) -> Counts:
    """Analyse files into *out*."""
    files = FileSource(tuple(map(str, sources)))
    return analyse(spark, files, str(out), WINDOW_S, lambda _: None)


def test_every_row_is_in_a_table(analysed: Store) -> None:
    """Records are counted; other rows are in a table with the reason."""
    requests = analysed.table("waits").where("scope = 'request'").groupBy().sum("requests")

    assert requests.collect()[0][0] == RECORDS
    assert sorted(row["raw"] for row in plain(analysed.table("malformed"))) == sorted(BAD_LINES)


def test_a_repeated_run_and_an_unknown_field_change_nothing(
    spark: SparkSession, analysed: Store, copied: Store, recorded: Path, tmp_path: Path
) -> None:
    """The same records with an additional field give the same tables."""
    newer = tmp_path / "newer.jsonl"
    lines = recorded.read_text().splitlines()
    added = [json.dumps(json.loads(line) | {"added": [1]}) for line in lines[:RECORDS]]
    newer.write_text("\n".join([*added, *lines[RECORDS:]]))
    assert run(spark, copied.out, newer) == Counts(RECORDS + len(BAD_LINES), len(BAD_LINES))

    for name in ("latency", "waits", "top_waits", "deliveries", "delivery_latency"):
        assert plain(copied.table(name)) == plain(analysed.table(name)), name


def test_a_failed_run_leaves_the_last_tables(
    spark: SparkSession, analysed: Store, copied: Store, tmp_path: Path
) -> None:
    """No partial files remain beside them."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text("not a record\n" * 3)
    before = files(copied)

    with pytest.raises(PipelineError, match=r"^none of 3 rows is a wait record; the first: not"):
        run(spark, copied.out, bad)
    assert plain(copied.table("waits")) == plain(analysed.table("waits"))
    assert files(copied) == before


def files(store: Store) -> set[Path]:
    """All files of an output folder."""
    return {path for path in Path(store.out).rglob("*") if path.is_file()}


def test_the_tables_of_a_stream_are_not_replaced(
    spark: SparkSession, recorded: Path, tmp_path: Path
) -> None:
    """They contain everything that the stream has read."""
    Store(spark, str(tmp_path)).stream(WINDOW_S)

    with pytest.raises(PipelineError, match="has the tables of a stream; take another --out"):
        run(spark, tmp_path, recorded)


def test_empty_input(spark: SparkSession, tmp_path: Path) -> None:
    """An empty file, and a missing file."""
    (tmp_path / "empty.jsonl").write_text("\n")

    with pytest.raises(PipelineError, match="the source has no records"):
        run(spark, tmp_path / "out", tmp_path / "empty.jsonl")
    with pytest.raises(PipelineError, match=r"none\.jsonl: no such file or folder"):
        run(spark, tmp_path / "out", tmp_path / "none.jsonl")
