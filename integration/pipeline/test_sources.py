"""The sources of records, read by Spark."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from integration.pipeline.frames import plain
from pipeline.computation.schema import parsed
from pipeline.errors import PipelineError
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
    (tmp_path / "b.jsonl.bz2").write_bytes(bz2.compress(text.encode()))
    (tmp_path / "b.jsonl.zst").write_bytes(zstd(spark, text.encode()))
    rows = parsed(FileSource((f"{tmp_path}/a.jsonl",)).read(spark))
    rows.drop("defect", "raw").write.parquet(f"{tmp_path}/c")

    first, *others = (
        plain(parsed(FileSource((f"{tmp_path}/{name}",)).read(spark)))
        for name in ("a.jsonl", "b.jsonl.gz", "b.jsonl.bz2", "b.jsonl.zst", "c")
    )
    assert len(first) == 40
    assert others == [first] * 4


def test_a_folder_of_compressed_lines(spark: SparkSession, tmp_path: Path) -> None:
    """Each file of a folder may be compressed in its own way."""
    one, two, three = (json_lines(wait_records(20, seed=seed)) for seed in range(3))
    (tmp_path / "1.log").write_text(one)
    (tmp_path / "2.log.gz").write_bytes(gzip.compress(two.encode()))
    (tmp_path / "3.log.zst").write_bytes(zstd(spark, three.encode()))

    texts = plain(FileSource((str(tmp_path),)).read(spark))
    assert texts == sorted(({"value": line} for line in (one + two + three).split()), key=str)


def zstd(spark: SparkSession, content: bytes) -> bytes:
    """A zstd frame, by the library in Spark's jars."""
    library: Any = spark._jvm.com.github.luben.zstd  # type: ignore[union-attr]  # noqa: SLF001 - as `pipeline.output.files`
    return bytes(library.Zstd.compress(bytearray(content)))


def test_a_stream_of_files_is_one_folder(spark: SparkSession, tmp_path: Path) -> None:
    """A single file is refused, because no files can be added to it."""
    (tmp_path / "a").write_text("")
    with pytest.raises(PipelineError, match="a stream of files is one folder"):
        FileSource((f"{tmp_path}/a",)).stream(spark)
