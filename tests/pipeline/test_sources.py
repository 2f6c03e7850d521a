"""The sources of records."""

from __future__ import annotations

import pytest

from pipeline.errors import PipelineError
from pipeline.sources import FileSource, TopicSource, source_of


def test_the_name_selects_the_kind_of_source() -> None:
    """A source is files, or a topic with one or more bootstrap servers."""
    assert source_of(("a.jsonl", "b")) == FileSource(("a.jsonl", "b"))
    assert source_of(("kafka://h:1,[::1]:2/t",)) == TopicSource("h:1,[::1]:2", "t")


@pytest.mark.parametrize(
    "names", [("kafka://h:1",), ("kafka://h/t",), ("kafka://h:99999/t",), ("kafka://h:1/t", "a")]
)
def test_an_invalid_topic(names: tuple[str, ...]) -> None:
    """The error has the correct form of a topic's name."""
    with pytest.raises(PipelineError, match=r"kafka://HOST:PORT|a topic is read alone"):
        source_of(names)


def test_an_unreachable_broker() -> None:
    """It is reported before Spark starts."""
    with pytest.raises(PipelineError, match=r"127\.0\.0\.1:1: no broker there \(Connection refuse"):
        TopicSource("127.0.0.1:1", "t").reach()


def test_a_missing_file_of_this_machine() -> None:
    """It is reported before Spark starts, if Spark's plain paths are on this machine."""
    with pytest.raises(PipelineError, match=r"^no/such\.jsonl: no such file or folder$"):
        source_of(("no/such.jsonl",), plain_paths_are_local=True).reach()


@pytest.mark.parametrize("name", ["s3a://bucket/a.jsonl", "no/such*.jsonl", "no/{a,b}.jsonl"])
def test_a_path_that_only_spark_can_look_up(name: str) -> None:
    """A path with a scheme or a pattern is looked up when Spark has started."""
    source_of((name,), plain_paths_are_local=True).reach()


def test_a_plain_path_of_another_file_system() -> None:
    """With a cluster or settings of Hadoop, a path may be on HDFS."""
    source_of(("no/such.jsonl",), plain_paths_are_local=False).reach()
