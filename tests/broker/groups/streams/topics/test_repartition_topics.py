"""The numbers of partitions of repartition topics (mirrors ``RepartitionTopicsTest``)."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.topics.repartition_topics import repartition_topics
from protocol.errors import ErrorCode
from tests.broker.groups.streams.topics.topologies import subtopology

TOPICS = {"small": 2, "large": 5}


def test_a_sink_gets_the_number_of_the_largest_source() -> None:
    """Of the subtopology that writes it."""
    subtopologies = [
        subtopology("0", "small large", writes="r"),
        subtopology("1", "small", reads={"r": 0}),
    ]

    assert repartition_topics(subtopologies, TOPICS.get) == {"r": 5}


def test_a_fixed_number_is_kept() -> None:
    """The application has chosen it."""
    subtopologies = [subtopology("0", "large", writes="r"), subtopology("1", reads={"r": 3})]

    assert repartition_topics(subtopologies, TOPICS.get) == {"r": 3}


def test_numbers_pass_through_several_repartition_topics() -> None:
    """In any order of the subtopologies."""
    subtopologies = [
        subtopology("0", reads={"second": 0}),
        subtopology("1", reads={"first": 0}, writes="second"),
        subtopology("2", "large", writes="first"),
    ]

    assert repartition_topics(subtopologies, TOPICS.get) == {"first": 5, "second": 5}


def test_sources_of_unknown_number_do_not_count() -> None:
    """The subtopology that is visited first does not wait for the larger source."""
    subtopologies = [
        subtopology("0", "small", reads={"first": 0}, writes="second"),
        subtopology("1", "large", writes="first"),
        subtopology("2", reads={"second": 0}),
    ]

    assert repartition_topics(subtopologies, TOPICS.get) == {"first": 5, "second": 2}


def test_a_loop_without_another_source_is_refused() -> None:
    """No number can be determined."""
    with pytest.raises(ApiError, match="There may be loops in the topology") as refused:
        repartition_topics([subtopology("0", reads={"r": 0}, writes="r")], TOPICS.get)

    assert refused.value.code is ErrorCode.STREAMS_INVALID_TOPOLOGY


def test_a_source_that_is_no_sink_is_refused() -> None:
    """No subtopology writes it."""
    with pytest.raises(ApiError, match="is never used as a sink topic") as refused:
        repartition_topics([subtopology("0", "small", reads={"r": 0})], TOPICS.get)

    assert refused.value.code is ErrorCode.STREAMS_INVALID_TOPOLOGY
