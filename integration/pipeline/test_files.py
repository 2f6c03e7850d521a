"""Hadoop's file system, as used by the store."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.files import Files

pytestmark = pytest.mark.jvm


def test_folders_are_made_found_renamed_and_removed(spark: SparkSession, tmp_path: Path) -> None:
    """A plain path is on this machine."""
    files = Files(spark)
    files.make_folder(f"{tmp_path}/a/b")
    (tmp_path / "a" / "file").write_text("x")
    files.rename(f"{tmp_path}/a", f"{tmp_path}/c")

    assert files.is_folder(f"{tmp_path}/c/b")
    assert not files.is_folder(f"{tmp_path}/c/file")
    assert files.glob(f"{tmp_path}/c/*") == [f"file:{tmp_path}/c/b", f"file:{tmp_path}/c/file"]
    assert files.glob(f"{tmp_path}/none") == []
    files.delete(f"{tmp_path}/c")
    assert not files.exists(f"{tmp_path}/c")
