"""The numbers of partitions of changelog topics (mirrors ``ChangelogTopicsTest``)."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.topics.changelog_topics import changelog_topics
from protocol.errors import ErrorCode
from tests.broker.groups.streams.topics.topologies import subtopology

TOPICS = {"small": 2, "large": 5, "r": 7}


def test_a_changelog_has_the_number_of_the_largest_source() -> None:
    """Repartition topics are sources as well."""
    subtopologies = [
        subtopology("0", "small large", logs="a b"),
        subtopology("1", "small", reads={"r": 0}, logs="c"),
        subtopology("2", "small"),
    ]

    assert changelog_topics(subtopologies, TOPICS.__getitem__) == {"a": 5, "b": 5, "c": 7}


def test_a_subtopology_without_source_is_refused() -> None:
    """It has no tasks."""
    with pytest.raises(ApiError, match="No source topics found for subtopology 0") as refused:
        changelog_topics([subtopology("0", logs="a")], TOPICS.__getitem__)

    assert refused.value.code is ErrorCode.STREAMS_INVALID_TOPOLOGY
