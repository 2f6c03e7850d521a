"""OffsetDelete, as a client sees it; errors mirror ``OffsetMetadataManagerTest``."""

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
from tests.broker.api.handlers.group_request import GroupNode, GroupRequest, ask
from tests.broker.groups.script import ScriptPlayer

Errors = dict[tuple[str, int], ErrorCode]


def request(node: GroupNode, *partitions: tuple[str, int], group_id: str = "g") -> GroupRequest:
    """A request to forget these partitions."""
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


def test_what_was_committed_is_forgotten() -> None:
    """Mirrors ``testConsumerGroupOffsetDelete``; what was not committed is no error."""
    node = GroupNode()
    ScriptPlayer(node.world).play(["commit - t-0=1 u-0=1"])
    response = ask(offset_delete, request(node, ("t", 0), ("t", 1)))

    assert response.error_code == ErrorCode.NONE
    assert errors(response) == {("t", 0): ErrorCode.NONE, ("t", 1): ErrorCode.NONE}
    assert list(node.groups.offsets.fetch("g")) == [TopicPartition("u", 0)]


def test_partitions_that_do_not_exist_are_told_so() -> None:
    """The others are forgotten all the same."""
    node = GroupNode()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    response = ask(offset_delete, request(node, ("t", 0), ("t", 2), ("t", -1), ("nope", 0)))

    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert errors(response) == {
        ("t", 0): ErrorCode.NONE,
        ("t", 2): unknown,
        ("t", -1): unknown,
        ("nope", 0): unknown,
    }


def test_what_members_read_is_kept() -> None:
    """Mirrors ``testConsumerGroupOffsetDeleteWithErrors``."""
    node = GroupNode()
    ScriptPlayer(node.world).play(["consume a t", "commit a t-0=1 u-0=1"])
    response = ask(offset_delete, request(node, ("t", 0), ("u", 0)))

    assert errors(response) == {
        ("t", 0): ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
        ("u", 0): ErrorCode.NONE,
    }


def test_a_refusal_of_the_whole_request() -> None:
    """A group must have a name, and exist."""
    node = GroupNode()
    nameless = ask(offset_delete, request(node, ("t", 0), group_id=""))
    missing = ask(offset_delete, request(node, ("t", 0)))

    assert (nameless.error_code, nameless.topics) == (ErrorCode.INVALID_GROUP_ID, [])
    assert (missing.error_code, missing.topics) == (ErrorCode.GROUP_ID_NOT_FOUND, [])


def test_a_deletion_is_told_when_it_is_replicated() -> None:
    """Until then it may be lost."""
    node = GroupNode()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    node.world.slow_down()
    waiting = request(node, ("t", 0))
    assert ask(offset_delete, waiting) is None

    node.world.replicate()

    assert [errors(each) for each in waiting.answers] == [{("t", 0): ErrorCode.NONE}]


def test_a_partition_is_told_as_often_as_it_is_named() -> None:
    """Kafka answers each mention."""
    node = GroupNode()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    asked = request(node, ("t", 0), ("t", 0), ("t", 9), ("t", 9))

    response = ask(offset_delete, asked)

    (topic,) = response.topics
    assert [each.partition_index for each in topic.partitions] == [9, 9, 0, 0]
