"""Streams of records."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.conftest import WINDOW_S
from integration.pipeline.frames import plain
from pipeline import stream
from pipeline.batch import Counts
from pipeline.errors import PipelineError
from pipeline.output.store import Store
from pipeline.sources import FileSource
from tests.pipeline.wait_records import json_lines, wait_records

pytestmark = pytest.mark.jvm


def catch_up(spark: SparkSession, folder: Path, out: Path) -> None:
    """Add the new records in *folder*."""
    source = FileSource((str(folder),))
    stream.start(spark, source, str(out), WINDOW_S, follow=False).awaitTermination()


TABLES = (
    "blame",
    "cells",
    "clients",
    "latency",
    "waits",
    "top_waits",
    "deliveries",
    "delivery_latency",
)


def publish(spark: SparkSession, out: Path) -> Counts:
    """Add the new records to the tables."""
    return stream.publish(spark, str(out), WINDOW_S, lambda _: None)


def test_a_restarted_stream_gives_the_tables_of_one_run(
    spark: SparkSession, analysed: Store, recorded: Path, tmp_path: Path
) -> None:
    """With three publications, late records, a partial micro-batch and a repeated one."""
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    rows = recorded.read_text().splitlines(keepends=True)
    (folder / "1.jsonl").write_text("".join(rows[1_200:]))  # in reverse order
    catch_up(spark, folder, out)
    counts = publish(spark, out)
    # The kill: batch 0 is in the tables, but its completion is not recorded.
    forget(out, 0)
    (folder / "2.jsonl").write_text("".join(rows[600:1_200]))
    catch_up(spark, folder, out)
    # The kill: batch 1 has written its rows, but not its mark.
    (out / "rows" / "batch=1" / "_SUCCESS").unlink()
    forget(out, 1)
    (folder / "3.jsonl").write_text("".join(rows[:600]))
    catch_up(spark, folder, out)
    counted = [counts.rows, publish(spark, out).rows, publish(spark, out).rows]

    assert counted == [len(rows) - 1_200, 1_200, 0]
    streamed = Store(spark, str(out))
    for name in (*TABLES, "produce_lag", "malformed"):
        assert plain(streamed.table(name)) == plain(analysed.table(name)), name


@pytest.mark.parametrize("older", ["rows/batch=0", "tables/top_waits"])
def test_a_stream_of_an_older_version_continues(
    older: str, spark: SparkSession, tmp_path: Path
) -> None:
    """Its micro-batches and tables have no principals, which are null then."""
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "1.jsonl").write_text(json_lines(wait_records(20)))
    catch_up(spark, folder, out)
    if older.startswith("tables"):
        publish(spark, out)
    for path in (out / older).rglob("*.parquet"):
        without_principals(spark, path)
    (folder / "2.jsonl").write_text(json_lines(wait_records(20, seed=2)))
    catch_up(spark, folder, out)
    publish(spark, out)

    found = plain(Store(spark, str(out)).table("top_waits"))
    principals = {row["principal"] for row in found}
    assert {None, "User:shipping"} <= principals


def without_principals(spark: SparkSession, file: Path) -> None:
    """Replace a file by one without the columns that older versions lack."""
    rows = spark.read.parquet(str(file)).drop("principal", "listener")
    rows.coalesce(1).write.parquet(f"{file}.older")
    [older] = Path(f"{file}.older").glob("*.parquet")
    file.with_name(f".{file.name}.crc").unlink()
    older.rename(file)
    shutil.rmtree(f"{file}.older")


def forget(out: Path, number: int) -> None:
    """Remove a micro-batch from the checkpoint, as if it had not completed."""
    (out / "checkpoint" / "commits" / str(number)).unlink()
    (out / "checkpoint" / "commits" / f".{number}.crc").unlink(missing_ok=True)


def test_a_stream_keeps_its_window(spark: SparkSession, tmp_path: Path) -> None:
    """Cells of two window lengths cannot be added."""
    (tmp_path / "in").mkdir()
    Store(spark, f"{tmp_path}/out").stream(60)

    with pytest.raises(PipelineError, match=r"--window 10: .* was begun with 60;"):
        catch_up(spark, tmp_path / "in", tmp_path / "out")


def test_a_stream_of_a_version_without_a_manifest_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Its tables do not name their files."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out" / "folded").mkdir(parents=True)

    with pytest.raises(PipelineError, match="has a stream of an older version; take another"):
        catch_up(spark, tmp_path / "in", tmp_path / "out")


def test_an_empty_stream(spark: SparkSession, tmp_path: Path) -> None:
    """An error replaces empty tables; a following stream waits for the first batch."""
    assert not stream.has_new(spark, str(tmp_path))
    with pytest.raises(PipelineError, match="the source has no records"):
        publish(spark, tmp_path)
