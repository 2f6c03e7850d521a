"""Where records come from."""

from __future__ import annotations

import pytest

from pipeline.errors import PipelineError
from pipeline.sources import FileSource, TopicSource, source_of


def test_a_source_is_told_by_its_name() -> None:
    """Files, or a topic behind one to many brokers."""
    assert source_of(("a.jsonl", "b")) == FileSource(("a.jsonl", "b"))
    assert source_of(("kafka://h:1,[::1]:2/t",)) == TopicSource("h:1,[::1]:2", "t")


@pytest.mark.parametrize(
    "names", [("kafka://h:1",), ("kafka://h/t",), ("kafka://h:99999/t",), ("kafka://h:1/t", "a")]
)
def test_a_topic_that_cannot_be_is_refused(names: tuple[str, ...]) -> None:
    """With the form it should have, or why not."""
    with pytest.raises(PipelineError, match=r"kafka://HOST:PORT|a topic is read alone"):
        source_of(names)


def test_an_unreachable_broker_is_said_at_once() -> None:
    """Before Spark is started, and the connector tries for minutes."""
    with pytest.raises(PipelineError, match=r"127\.0\.0\.1:1: no broker there \(Connection refuse"):
        TopicSource("127.0.0.1:1", "t").reach()
