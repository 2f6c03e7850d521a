"""Tables in the format of Delta Lake."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.machine.requirements import need
from integration.pipeline.conftest import WINDOW_S
from integration.pipeline.frames import plain
from pipeline import stream
from pipeline.__main__ import main
from pipeline.batch import analyse
from pipeline.output.delta import table_of
from pipeline.output.manifest import DELTA
from pipeline.output.store import Store
from pipeline.sources import FileSource
from pipeline.writing import _Alone
from tests.pipeline.wait_records import json_lines, wait_records

# A commit takes seconds.
pytestmark = [
    pytest.mark.long,
    pytest.mark.jvm,
    pytest.mark.usefixtures("_delta"),
    pytest.mark.timeout(1200),
]


@pytest.fixture
def _delta(spark: SparkSession) -> None:
    """The session has Delta Lake."""
    missing = "delta-spark" not in str(spark.sparkContext.getConf().get("spark.jars", ""))
    need("jvm", "no Delta Lake for Spark" if missing else None)


def make_only(monkeypatch: pytest.MonkeyPatch, *jobs: str) -> None:
    """Let runs make the tables of these jobs only, which are methods of the run.

    How a table is committed depends on its kind only, and each commit takes seconds.
    """
    monkeypatch.setattr(_Alone, "jobs", lambda run: [getattr(run, job) for job in jobs])


def newest(spark: SparkSession, store: Store, name: str) -> list[dict[str, object]]:
    """The rows of a table's last version, which a reader without the manifest sees."""
    return plain(spark.read.format("delta").load(f"{store.out}/tables/{name}"))


def same_tables(spark: SparkSession, store: Store, other: Store) -> None:
    """Assert that all tables are equal to those of *other*, with the manifest and without it."""
    names = [name.removeprefix("tables/") for name in store.published().manifest.versions]
    files = other.published().manifest.files
    assert {f"tables/{name}" for name in names} == {name for name in files if files[name]}
    for name in names:
        rows = plain(other.table(name))
        assert plain(store.table(name)) == rows, name
        assert newest(spark, store, name) == rows, name


@pytest.mark.usefixtures("one_session")
def test_the_tables_are_those_in_parquet(
    spark: SparkSession, recorded: Path, analysed: Store, tmp_path: Path
) -> None:
    """Of the same records; the files from which they were written are removed."""
    out = tmp_path / "out"
    words = [str(recorded), "--out", str(out), "--window", str(WINDOW_S), "--format", "delta"]

    assert main(words) == 0
    same_tables(spark, Store(spark, str(out)), analysed)
    assert {path.name for path in out.iterdir()} == {"report.html", "tables", "tables.json"}


def test_a_second_run_leaves_the_versions_of_the_first(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table without rows in the second run is empty, for readers of the newest version too."""
    make_only(monkeypatch, "delivered", "counted")
    out = str(tmp_path / "out")
    records = wait_records(400)
    metadata = [record for record in records if record["api"] == "Metadata"]
    published = []
    for number, each in enumerate((records, metadata)):
        file = tmp_path / f"{number}.jsonl"
        file.write_text(json_lines(each))
        analyse(spark, FileSource((str(file),)), out, WINDOW_S, lambda _: None, table_format=DELTA)
        published.append(Store(spark, out).published())
    first, second = published

    assert second.table("deliveries").isEmpty()
    assert newest(spark, Store(spark, out), "deliveries") == []
    assert not first.table("deliveries").isEmpty()
    for tables, expected in ((first, records), (second, metadata)):
        requests = tables.table("waits").where("scope = 'request'").agg({"requests": "sum"})
        assert requests.collect()[0][0] == len(expected)
    assert first.manifest.versions.keys() == second.manifest.versions.keys()


def test_a_killed_stream_counts_no_row_twice(
    spark: SparkSession,
    recorded: Path,
    analysed: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Killed after the commits of all tables and before the manifest names their versions.

    The tables are of each kind: dated, replaced as a whole, and added to.
    """
    make_only(monkeypatch, "counted", "waited", "malformed")
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    rows = recorded.read_text().splitlines(keepends=True)
    store = Store(spark, str(out))
    add(spark, folder / "1.jsonl", rows[1_200:], out)  # with the lines that are no records
    before = store.published()
    with monkeypatch.context() as killing:
        killing.setattr(Store, "_switch", killed)
        killing.setattr(Store, "abandon", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            add(spark, folder / "2.jsonl", [*rows[600:1_200], "[]\n"], out)

    assert before.manifest == store.published().manifest
    assert plain(before.table("malformed")) != newest(spark, store, "malformed")
    add(spark, folder / "3.jsonl", rows[:600], out)
    malformed = plain(store.table("malformed"))
    assert len(malformed) == 4
    again = table_of(spark, f"{out}/tables/malformed", before.manifest.versions["tables/malformed"])
    assert len(plain(again)) == 3
    for name in ("cells", "latency", "waits", "top_waits"):
        expected = plain(analysed.table(name))
        assert plain(store.table(name)) == expected, name
        assert newest(spark, store, name) == expected, name


def killed(*_: object) -> None:
    """Stand for the end of the process."""
    raise KeyboardInterrupt


def add(spark: SparkSession, file: Path, rows: list[str], out: Path) -> None:
    """Start the stream with one more file of records, and publish its tables."""
    file.write_text("".join(rows))
    source = FileSource((str(file.parent),))
    stream.start(
        spark, source, str(out), WINDOW_S, follow=False, table_format=DELTA
    ).awaitTermination()
    stream.publish(spark, str(out), WINDOW_S, lambda _: None)
