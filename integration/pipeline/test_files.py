"""Hadoop's file system, as used by the store."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.output.files import Files

pytestmark = pytest.mark.jvm


def test_files_are_found_read_and_removed(spark: SparkSession, tmp_path: Path) -> None:
    """A plain path is on this machine."""
    files = Files(spark)
    (tmp_path / "c" / "b").mkdir(parents=True)
    (tmp_path / "c" / "b" / "deep").write_text("y")
    (tmp_path / "c" / "file").write_text("é")

    assert files.is_folder(f"{tmp_path}/c/b")
    assert not files.is_folder(f"{tmp_path}/c/file")
    assert files.glob(f"{tmp_path}/c/*") == [f"file:{tmp_path}/c/b", f"file:{tmp_path}/c/file"]
    assert files.below(f"{tmp_path}/c") == [
        f"file:{tmp_path}/c/b/deep",
        f"file:{tmp_path}/c/file",
    ]
    assert files.read(f"{tmp_path}/c/file") == "é"
    assert files.read(f"{tmp_path}/none") is None
    assert files.glob(f"{tmp_path}/none") == []
    files.delete(f"{tmp_path}/c")
    assert not files.exists(f"{tmp_path}/c")


def test_a_file_on_this_machine_is_replaced_by_one_rename(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The old file stays complete for who has it open, and there is no checksum beside it."""
    files = Files(spark)
    files.replace(f"{tmp_path}/a", "old")
    with (tmp_path / "a").open() as opened:
        files.replace(f"{tmp_path}/a", "new")
        assert opened.read() == "old"

    assert (tmp_path / "a").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("renaming", [("hdfs",), ("hdfs", "file")])
def test_a_file_elsewhere_is_replaced(
    renaming: tuple[str, ...], spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an object store by writing it, on HDFS by Hadoop's rename; here on this machine."""
    monkeypatch.setattr("pipeline.output.files._LOCAL", "none")
    monkeypatch.setattr("pipeline.output.files._RENAMING", renaming)
    files = Files(spark)
    files.replace(f"{tmp_path}/a", "old")
    files.replace(f"{tmp_path}/a", "new")

    assert files.read(f"{tmp_path}/a") == "new"
    assert not files.exists(f"{tmp_path}/a.new")
