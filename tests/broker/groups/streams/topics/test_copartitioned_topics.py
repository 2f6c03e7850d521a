"""Copartitioned topics (mirrors ``CopartitionedTopicsEnforcerTest``)."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.statuses import StatusCode
from broker.groups.streams.topics.copartitioned_topics import enforce_copartitioning
from broker.groups.streams.topics.errors import TopicConfigurationError
from protocol.errors import ErrorCode

COUNTS = {"three": 3, "also-three": 3, "five": 5, "none": 0}


def enforced(topics: str, *, fixed: str = "", flexible: str = "") -> dict[str, int]:
    """The numbers of the repartition topics among copartitioned *topics*."""
    return enforce_copartitioning(
        topics.split(), set(fixed.split()), set(flexible.split()), COUNTS.__getitem__
    )


def refusal(topics: str, *, fixed: str = "", flexible: str = "") -> str:
    """The message for topics with different numbers."""
    with pytest.raises(TopicConfigurationError) as refused:
        enforced(topics, fixed=fixed, flexible=flexible)
    assert refused.value.status is StatusCode.INCORRECTLY_PARTITIONED_TOPICS
    return refused.value.message


def test_flexible_topics_get_the_number_of_the_source_topics() -> None:
    """Also a smaller one."""
    assert enforced("three also-three five", flexible="five") == {"five": 3}


def test_flexible_topics_get_the_largest_of_their_numbers() -> None:
    """Without a source topic and without a fixed number."""
    assert enforced("three five", flexible="three five") == {"three": 5, "five": 5}


def test_flexible_topics_get_the_fixed_number() -> None:
    """Without a source topic, another repartition topic decides."""
    assert enforced("three five", fixed="three", flexible="five") == {"three": 3, "five": 3}


def test_topics_without_repartition_are_only_checked() -> None:
    """No number is changed."""
    assert enforced("three also-three") == {}


def test_an_empty_group_is_ignored() -> None:
    """It requires nothing."""
    assert enforced("", fixed="three five") == {}


def test_different_source_topics_are_refused() -> None:
    """The message has all source topics of the group in order, and no others."""
    assert refusal("three five also-three none", flexible="none") == (
        "Following topics do not have the same number of partitions: "
        "[{also-three=3, five=5, three=3}]"
    )


def test_a_fixed_number_that_differs_from_the_source_topics_is_refused() -> None:
    """The coordinator does not change it."""
    assert refusal("three five", fixed="five") == (
        "Number of partitions [5] of repartition topic [five] "
        "doesn't match number of partitions [3] of the source topic."
    )


def test_different_fixed_numbers_are_refused() -> None:
    """The message has the repartition topics of the group."""
    assert refusal("three five", fixed="three five") == (
        "Following topics do not have the same number of partitions: [{five=5, three=3}]"
    )


def test_fixed_topics_of_other_groups_are_compared_as_well() -> None:
    """As in Kafka; the message has only the topics of the group."""
    assert refusal("three", fixed="three five") == (
        "Following topics do not have the same number of partitions: [{three=3}]"
    )


def test_topics_without_partitions_are_refused() -> None:
    """No number can be chosen."""
    with pytest.raises(ApiError, match=r"had undefined partition number: \[none\]") as refused:
        enforced("none", flexible="none")

    assert refused.value.code is ErrorCode.STREAMS_INVALID_TOPOLOGY
