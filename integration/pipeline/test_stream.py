"""Records as they come."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.conftest import WINDOW_S
from integration.pipeline.frames import plain
from pipeline import stream
from pipeline.errors import PipelineError
from pipeline.sources import FileSource
from pipeline.store import Store

pytestmark = pytest.mark.jvm


def catch_up(spark: SparkSession, folder: Path, out: Path) -> None:
    """Add what is new in *folder*."""
    source = FileSource((str(folder),))
    stream.start(spark, source, str(out), WINDOW_S, follow=False).awaitTermination()


def test_a_stream_that_died_ends_with_the_tables_of_one_run(
    spark: SparkSession, analysed: Store, recorded: Path, tmp_path: Path
) -> None:
    """No row is lost or doubled when a batch was half done, and late records find their window."""
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    lines = recorded.read_text().splitlines(keepends=True)
    (folder / "1.jsonl").write_text("".join(lines[1_000:]))  # the second half first
    catch_up(spark, folder, out)
    # The death: batch 1 had written its rows, and not been committed.
    (folder / "2.jsonl").write_text("".join(lines[:1_000]))
    catch_up(spark, folder, out)
    (out / "checkpoint" / "commits" / "1").unlink()
    (out / "checkpoint" / "commits" / ".1.crc").unlink(missing_ok=True)
    (out / "cells" / f"window={WINDOW_S}" / "batch=1" / "_SUCCESS").unlink()
    catch_up(spark, folder, out)
    counts = stream.publish(spark, str(out), WINDOW_S, lambda _: None)

    assert counts.rows == len(lines)
    streamed = Store(spark, str(out))
    for name in ("latency", "waits", "top_waits", "deliveries", "malformed"):
        assert plain(streamed.table(name)) == plain(analysed.table(name)), name


def test_a_stream_keeps_its_window(spark: SparkSession, tmp_path: Path) -> None:
    """Cells of two lengths do not add up."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out" / "cells" / "window=60").mkdir(parents=True)

    with pytest.raises(PipelineError, match=r"--window 10: .* was begun with 60;"):
        catch_up(spark, tmp_path / "in", tmp_path / "out")


def test_nothing_streamed_is_said(spark: SparkSession, tmp_path: Path) -> None:
    """Instead of empty tables; who follows looks first whether there is a batch yet."""
    assert stream.complete(Store(spark, str(tmp_path)), WINDOW_S) == []
    with pytest.raises(PipelineError, match="the source has no records"):
        stream.publish(spark, str(tmp_path), WINDOW_S, lambda _: None)
