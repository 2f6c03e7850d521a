"""The configuration of a topology (mirrors ``InternalTopicManagerTest``)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.statuses import StatusCode
from broker.groups.streams.topics.configured import ConfiguredInternalTopic, ConfiguredTopology
from broker.groups.streams.topics.internal_topics import configure
from broker.groups.streams.topology import CopartitionGroup, InternalTopic, Subtopology
from protocol.errors import ErrorCode
from tests.broker.groups.streams.topics.topologies import subtopology, topology

# It joins a source topic with a topic that another subtopology repartitions.
READER = subtopology("0", "a", writes="r")
JOINER = subtopology("1", "b", reads={"r": 0}, logs="log", together=((0,), (0,)))
TOPICS = {"a": 5, "b": 3}
ALL_TOPICS = {**TOPICS, "r": 3, "log": 3}


def configured(*subtopologies: Subtopology, **topics: int) -> ConfiguredTopology:
    """The configuration of *subtopologies* for a cluster with these topics."""
    return configure(topology(*subtopologies), 7, topics.get)


def status(found: ConfiguredTopology) -> tuple[StatusCode, str]:
    """The code and the message of the error."""
    assert found.error is not None
    return found.error.status, found.error.message


def test_a_topology_whose_topics_exist_is_ready() -> None:
    """It has the epoch of the topology and the hash that it was given."""
    found = configured(READER, JOINER, **ALL_TOPICS)

    assert (found.is_ready, found.internal_topics_to_create) == (True, {})
    assert (found.epoch, found.metadata_hash) == (3, 7)


def test_a_subtopology_has_as_many_tasks_as_its_largest_source_has_partitions() -> None:
    """Repartition topics are sources as well."""
    found = configured(READER, JOINER, **ALL_TOPICS)

    assert found.subtopologies is not None
    tasks = {name: each.number_of_tasks for name, each in found.subtopologies.items()}
    assert tasks == {"0": 5, "1": 3}


def test_subtopologies_with_changelogs_are_stateful() -> None:
    """Their tasks can have standby tasks."""
    found = configured(READER, JOINER, **ALL_TOPICS)

    assert found.subtopologies is not None
    assert [each.is_stateful for each in found.subtopologies.values()] == [False, True]


def test_internal_topics_that_do_not_exist_are_created() -> None:
    """The topology is configured, but not ready."""
    found = configured(READER, JOINER, **TOPICS, log=3)

    assert status(found) == (
        StatusCode.MISSING_INTERNAL_TOPICS,
        "Internal topics are missing: r",
    )
    assert found.subtopologies is not None
    assert found.internal_topics_to_create == {
        "r": ConfiguredInternalTopic(name="r", partitions=3, replication_factor=None, configs=())
    }


def test_an_internal_topic_is_created_with_its_settings() -> None:
    """Its configs are in the order of Kafka's hash table."""
    log = InternalTopic(name="log", replication_factor=2, configs=(("b", "2"), ("a", "1")))
    found = configured(replace(READER, state_changelog_topics=(log,)), **TOPICS)

    assert found.internal_topics_to_create["log"] == ConfiguredInternalTopic(
        name="log", partitions=5, replication_factor=2, configs=(("a", "1"), ("b", "2"))
    )


def test_missing_source_topics_are_reported() -> None:
    """The first three in order, and the number of the others."""
    found = configured(subtopology("0", "e c a d b"))

    assert (found.subtopologies, found.internal_topics_to_create) == (None, {})
    assert status(found) == (
        StatusCode.MISSING_SOURCE_TOPICS,
        "Source topics a, b, c and 2 additional topics are missing.",
    )


def test_an_internal_topic_of_another_size_is_reported() -> None:
    """It is not changed."""
    found = configured(READER, JOINER, **{**ALL_TOPICS, "log": 4})

    assert found.subtopologies is None
    assert status(found) == (
        StatusCode.INCORRECTLY_PARTITIONED_TOPICS,
        "Existing topic log has different number of partitions: expected 3, found 4",
    )


def test_copartitioned_topics_of_different_sizes_are_reported() -> None:
    """A repartition topic that exists is not adapted to the source topic."""
    fixed = replace(JOINER, repartition_source_topics=(InternalTopic(name="r", partitions=5),))
    found = configured(READER, fixed, **TOPICS)

    assert status(found)[0] is StatusCode.INCORRECTLY_PARTITIONED_TOPICS


@pytest.mark.parametrize("indexes", [{"source_topics": (1,)}, {"source_topics": (-1,)}])
def test_a_wrong_index_of_a_copartition_group_is_an_unknown_error(indexes: Any) -> None:
    """Kafka does not validate it, and looks at it before it looks at the topics."""
    wrong = replace(READER, copartition_groups=(CopartitionGroup(**indexes),))

    assert _error_code(wrong) is ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize(
    "logs",
    [
        (InternalTopic(name="log", partitions=-1),),
        (InternalTopic(name="log"), InternalTopic(name="log")),
        (InternalTopic(name="log", configs=(("a", "1"), ("a", "1"))),),
    ],
    ids=["negative number", "duplicate topic", "duplicate config"],
)
def test_malformed_internal_topics_are_an_unknown_error(logs: Any) -> None:
    """Kafka does not validate them."""
    wrong = replace(READER, state_changelog_topics=logs)

    assert _error_code(wrong, **TOPICS) is ErrorCode.UNKNOWN_SERVER_ERROR


def _error_code(wrong: Subtopology, **topics: int) -> ErrorCode:
    with pytest.raises(ApiError) as refused:
        configured(wrong, **topics)
    return refused.value.code
