"""The partitions that tasks read (mirrors ``EndpointToPartitionsManagerTest``)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.topics.configured import ConfiguredSubtopology
from broker.groups.streams.topics.endpoint_to_partitions import topic_partitions
from broker.groups.streams.topics.internal_topics import configure
from protocol.errors import ErrorCode
from tests.broker.groups.streams.topics.topologies import subtopology, topology

TOPICS = {"a": 3, "b": 2, "r": 3}


def configured() -> Mapping[str, ConfiguredSubtopology]:
    """One subtopology reads a and b, the other one reads the repartition topic r."""
    subtopologies = configure(
        topology(subtopology("0", "a b", writes="r"), subtopology("1", reads={"r": 0})),
        0,
        TOPICS.get,
    ).subtopologies
    assert subtopologies is not None
    return subtopologies


def test_a_task_reads_its_partition_of_all_source_topics() -> None:
    """Repartition topics are source topics as well."""
    assert topic_partitions({"0": [1], "1": [2, 0]}, configured(), TOPICS.get) == [
        ("a", (1,)),
        ("b", (1,)),
        ("r", (0, 2)),
    ]


def test_more_tasks_than_partitions_are_cut() -> None:
    """As in Kafka, by their number."""
    partitions = dict(topic_partitions({"0": [2, 1, 0]}, configured(), TOPICS.get))

    assert partitions == {"a": (0, 1, 2), "b": (0, 1)}


def test_a_task_beyond_the_partitions_of_a_topic_is_kept() -> None:
    """As in Kafka, if there are no more tasks than partitions."""
    partitions = dict(topic_partitions({"0": [1, 2]}, configured(), TOPICS.get))

    assert partitions["b"] == (1, 2)


@pytest.mark.parametrize("missing", ["topic", "subtopology"])
def test_tasks_of_a_former_topology_are_an_unknown_error(missing: str) -> None:
    """Kafka does not expect them."""
    tasks = {"2": [0]} if missing == "subtopology" else {"0": [0]}

    with pytest.raises(ApiError) as refused:
        topic_partitions(tasks, configured(), {"b": 2}.get)

    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
