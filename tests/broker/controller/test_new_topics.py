"""The assignment of the partitions of new topics."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config import Config
from broker.config.topics import check_topic_configs
from broker.controller.image import Broker, MetadataImage
from broker.controller.new_topics import NewTopics
from protocol.errors import ErrorCode


def _topics(*fenced: int) -> NewTopics:
    image = MetadataImage("cluster")
    for node_id in (1, 2, 3):
        image.put_broker(Broker(node_id, "h", node_id, fenced=node_id in fenced))
    return NewTopics(image, Config(), check_topic_configs)


def test_leaders_are_balanced() -> None:
    """Of three partitions with three replicas, each node leads one."""
    topic = _topics().topic("t", 3, 3, (), {})

    assert {each.leader for each in topic.partitions} == {1, 2, 3}
    assert all(each.isr == each.replicas for each in topic.partitions)


def test_a_fenced_node_is_assigned_last_and_is_not_in_sync() -> None:
    """It gets replicas only when no live node is left."""
    two = _topics(3).topic("t", 1, 2, (), {}).partitions[0]
    three = _topics(3).topic("t", 1, 3, (), {}).partitions[0]

    assert 3 not in two.replicas
    assert three.replicas[-1] == 3
    assert 3 not in three.isr


def test_an_assignment_to_fenced_nodes_alone_is_refused() -> None:
    """No node could lead the partition."""
    with pytest.raises(ApiError) as refusal:
        _topics(3).topic("t", -1, -1, [(3,)], {})

    assert refusal.value.code is ErrorCode.INVALID_REPLICA_ASSIGNMENT
