"""The assignment of the partitions of new topics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.common.errors import ApiError
from broker.config import Config
from broker.config.topics import check_topic_configs
from broker.controller.metadata.image import Broker, MetadataImage
from broker.controller.partitions.new_topics import NewTopics, check_assignment
from broker.steps.queue import finish
from protocol.errors import ErrorCode


def _topics(*fenced: int) -> NewTopics:
    return NewTopics(_image(*fenced), Config(), check_topic_configs)


def _image(*fenced: int) -> MetadataImage:
    image = MetadataImage("cluster")
    for node_id in (1, 2, 3):
        image.put_broker(Broker(node_id, "h", node_id, fenced=node_id in fenced))
    return image


def test_leaders_are_balanced() -> None:
    """Of three partitions with three replicas, each node leads one."""
    topic = finish(_topics().topic("t", 3, 3, (), {}))

    assert {each.leader for each in topic.partitions} == {1, 2, 3}
    assert all(each.isr == each.replicas for each in topic.partitions)


def test_a_fenced_node_is_assigned_last_and_is_not_in_sync() -> None:
    """It gets replicas only when no live node is left."""
    two = finish(_topics(3).topic("t", 1, 2, (), {})).partitions[0]
    three = finish(_topics(3).topic("t", 1, 3, (), {})).partitions[0]

    assert 3 not in two.replicas
    assert three.replicas[-1] == 3
    assert 3 not in three.isr


@pytest.mark.parametrize("factor", [0, -1])
def test_the_default_replication_factor_must_be_positive(factor: int) -> None:
    """The configuration accepts any number, as Kafka's."""
    config = Config(default_replication_factor=factor)
    with pytest.raises(ApiError) as refusal:
        finish(NewTopics(_image(), config, check_topic_configs).topic("t", 1, -1, (), {}))

    assert refusal.value.code is ErrorCode.INVALID_REPLICATION_FACTOR


def test_an_assignment_to_fenced_nodes_alone_is_refused() -> None:
    """No node could lead the partition."""
    with pytest.raises(ApiError) as refusal:
        finish(_topics(3).topic("t", -1, -1, [(3,)], {}))

    assert refusal.value.code is ErrorCode.INVALID_REPLICA_ASSIGNMENT


def test_dots_and_underscores_collide() -> None:
    """Names that differ only in '.' and '_' would share their metrics."""
    image = _image()
    topics = NewTopics(image, Config(), check_topic_configs)
    existing = finish(topics.topic("a.b", 1, 1, (), {}))
    image.put(existing)
    finish(topics.topic("a-b", 1, 1, (), {}))
    with pytest.raises(ApiError, match=r"'a_b' collides with existing topic: a\.b") as refusal:
        finish(topics.topic("a_b", 1, 1, (), {}))

    image.remove(existing)

    assert refusal.value.code is ErrorCode.INVALID_TOPIC_EXCEPTION
    assert finish(topics.topic("a_b", 1, 1, (), {})).name == "a_b"


@pytest.mark.parametrize(
    ("replicas", "reason"),
    [
        ((), "an empty replica list."),
        ((3, 9, 8), "broker 8, but no such broker is registered."),
        ((2, 3, 2), "the broker 2 more than once."),
        ((9, 1, 1), "the broker 1 more than once."),
        ((9, 9), "broker 9, but no such broker is registered."),
    ],
)
def test_the_lowest_wrong_replica_is_named(replicas: tuple[int, ...], reason: str) -> None:
    """Whether it is unknown or repeated, as in Kafka."""
    with pytest.raises(ApiError) as refusal:
        check_assignment(_image(), replicas)

    assert refusal.value.message == f"The manual partition assignment includes {reason}"


def test_few_replicas_are_compared_with_each_other() -> None:
    """A long assignment is not compared pair by pair."""
    _Node.comparisons = 0
    with pytest.raises(ApiError):
        check_assignment(_image(), [_Node(1) for _ in range(1000)])

    assert _Node.comparisons < 20_000


class _Node(int):
    """The id of a node that counts its comparisons."""

    comparisons = 0

    def __eq__(self, other: object) -> bool:
        """Count it."""
        _Node.comparisons += 1
        return int(self) == other

    __hash__ = int.__hash__


def test_a_topic_that_grows_one_by_one_has_leaders_on_all_nodes() -> None:
    """Also on both nodes of each of three racks."""
    image = MetadataImage("cluster")
    for node_id, rack in enumerate("aabbcc", start=1):
        image.put_broker(Broker(node_id, "h", node_id, rack=rack))
    topics = NewTopics(image, Config(), check_topic_configs)
    topic = finish(topics.topic("t", 1, 2, (), {}))
    while len(topic.partitions) < 6:
        added = finish(topics.partitions(topic, len(topic.partitions) + 1, None))
        topic = replace(topic, partitions=topic.partitions + added)

    assert sorted(each.leader for each in topic.partitions) == [1, 2, 3, 4, 5, 6]
