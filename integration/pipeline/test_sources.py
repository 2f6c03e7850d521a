"""The sources of records, read by Spark."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.frames import plain
from pipeline.errors import PipelineError
from pipeline.schema import parsed
from pipeline.sources import FileSource
from tests.pipeline.wait_records import json_lines, wait_records

pytestmark = pytest.mark.jvm


def test_lines_compressed_lines_and_parquet_are_the_same(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The file format does not affect a record."""
    text = json_lines(wait_records(40))
    (tmp_path / "a.jsonl").write_text(text + "\n")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    rows = parsed(FileSource((f"{tmp_path}/a.jsonl",)).read(spark))
    rows.drop("defect", "raw").write.parquet(f"{tmp_path}/c")

    first, *others = (
        plain(parsed(FileSource((f"{tmp_path}/{name}",)).read(spark)))
        for name in ("a.jsonl", "b.jsonl.gz", "c")
    )
    assert len(first) == 40
    assert others == [first, first]


def test_a_stream_of_files_is_one_folder(spark: SparkSession, tmp_path: Path) -> None:
    """A single file is refused, because no files can be added to it."""
    (tmp_path / "a").write_text("")
    with pytest.raises(PipelineError, match="a stream of files is one folder"):
        FileSource((f"{tmp_path}/a",)).stream(spark)
