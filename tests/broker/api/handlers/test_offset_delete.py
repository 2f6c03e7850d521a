"""OffsetDelete; errors mirror ``OffsetMetadataManagerTest``."""

from __future__ import annotations

from typing import Any

from broker.api.handlers.offset_delete import offset_delete
from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tests.broker.api.handlers.group_request import GroupRequest, GroupServices, call
from tests.broker.groups.script import ScriptPlayer

Errors = dict[tuple[str, int], ErrorCode]


def request(node: GroupServices, *partitions: tuple[str, int], group_id: str = "g") -> GroupRequest:
    """A request to delete the offsets of these partitions."""
    topics = [
        OffsetDeleteRequestTopic(
            name=name, partitions=[OffsetDeleteRequestPartition(partition_index=index)]
        )
        for name, index in partitions
    ]
    return GroupRequest(node, OffsetDeleteRequest(group_id=group_id, topics=topics), 0)


def errors(response: Any) -> Errors:
    """The error of each partition."""
    return {
        (topic.name, each.partition_index): ErrorCode(each.error_code)
        for topic in response.topics
        for each in topic.partitions
    }


def test_committed_offsets_are_deleted() -> None:
    """Mirrors ``testConsumerGroupOffsetDelete``; a partition without one has no error."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["commit - t-0=1 u-0=1"])
    response = call(offset_delete, request(node, ("t", 0), ("t", 1)))

    assert response.error_code == ErrorCode.NONE
    assert errors(response) == {("t", 0): ErrorCode.NONE, ("t", 1): ErrorCode.NONE}
    assert list(node.groups.offsets.fetch("g")) == [TopicPartition("u", 0)]


def test_unknown_partitions_have_an_error() -> None:
    """The other offsets are deleted."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    response = call(offset_delete, request(node, ("t", 0), ("t", 2), ("t", -1), ("nope", 0)))

    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert errors(response) == {
        ("t", 0): ErrorCode.NONE,
        ("t", 2): unknown,
        ("t", -1): unknown,
        ("nope", 0): unknown,
    }


def test_topics_with_subscribers_are_refused() -> None:
    """Mirrors ``testConsumerGroupOffsetDeleteWithErrors``."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t", "commit a t-0=1 u-0=1"])
    response = call(offset_delete, request(node, ("t", 0), ("u", 0)))

    assert errors(response) == {
        ("t", 0): ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
        ("u", 0): ErrorCode.NONE,
    }


def test_an_error_of_the_whole_request() -> None:
    """A group must have an id, and exist."""
    node = GroupServices()
    nameless = call(offset_delete, request(node, ("t", 0), group_id=""))
    missing = call(offset_delete, request(node, ("t", 0)))

    assert (nameless.error_code, nameless.topics) == (ErrorCode.INVALID_GROUP_ID, [])
    assert (missing.error_code, missing.topics) == (ErrorCode.GROUP_ID_NOT_FOUND, [])


def test_the_response_waits_until_the_deletion_is_replicated() -> None:
    """Until then it may be lost."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    node.world.slow_down()
    waiting = request(node, ("t", 0))
    assert call(offset_delete, waiting) is None

    node.world.replicate()

    assert [errors(each) for each in waiting.responses] == [{("t", 0): ErrorCode.NONE}]


def test_a_partition_named_twice_is_in_the_response_twice() -> None:
    """As in Kafka."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    requested = request(node, ("t", 0), ("t", 0), ("t", 9), ("t", 9))

    response = call(offset_delete, requested)

    (topic,) = response.topics
    assert [each.partition_index for each in topic.partitions] == [9, 9, 0, 0]
