"""OffsetDelete; errors mirror ``OffsetMetadataManagerTest``."""

from __future__ import annotations

from typing import Any

from broker.api.handlers.groups.offset_delete import offset_delete
from broker.common.topic_partition import TopicPartition
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
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


def test_the_errors_are_those_at_the_deletion() -> None:
    """A consumer subscribes between two slices of the request."""
    node = GroupServices()
    player = ScriptPlayer(node.world)
    player.play(["commit - t-0=1 u-0=1"])
    slices = offset_delete(request(node, ("t", 0), ("t", 1), ("u", 0)).request)
    next(slices)
    player.play(["consume a t"])

    assert errors(finish(slices)) == {
        ("t", 0): ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
        ("t", 1): ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC,
        ("u", 0): ErrorCode.NONE,
    }
    assert list(node.groups.offsets.fetch("g")) == [TopicPartition("t", 0)]


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


def test_a_topic_named_twice_has_two_results() -> None:
    """As in Kafka, unless a partition is unknown: then the results of a topic are merged."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    known = call(offset_delete, request(node, ("t", 0), ("t", 1)))
    unknown = call(offset_delete, request(node, ("t", 0), ("t", 9), ("t", 1)))

    assert _indexes(known) == [("t", [0]), ("t", [1])]
    assert _indexes(unknown) == [("t", [9, 0, 1])]


def test_an_unknown_topic_without_partitions_is_in_the_response() -> None:
    """A known one is not, as in Kafka."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    named: Any = request(node, ("t", 0), ("nope", 0))
    for topic in named.body.topics:
        topic.partitions = []

    assert _indexes(call(offset_delete, named)) == [("nope", [])]


def _indexes(response: Any) -> list[tuple[str, list[int]]]:
    """The topics and partitions of a response, in their order."""
    return [
        (topic.name, [each.partition_index for each in topic.partitions])
        for topic in response.topics
    ]


def test_a_partition_named_twice_is_in_the_response_twice() -> None:
    """As in Kafka."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    requested = request(node, ("t", 0), ("t", 0), ("t", 9), ("t", 9))

    response = call(offset_delete, requested)

    (topic,) = response.topics
    assert [each.partition_index for each in topic.partitions] == [9, 9, 0, 0]


MANY = [TopicPartition("many", number) for number in range(200)]


def _begin_large_deletion() -> tuple[GroupServices, Any]:
    """A node on which the deletion of many offsets is being encoded, and its slices."""
    node = GroupServices()
    node.world.put_topic("many", len(MANY))
    commits = [Commit(each, 1) for each in MANY]
    node.groups.offsets.commit(OffsetCommit(group_id="g", commits=commits))
    node.world.end_request()
    slices: Any = offset_delete(request(node, *MANY).request)
    for _ in range(len(MANY) + 3):
        next(slices)
    assert len(node.groups.offsets.fetch("g")) == len(MANY)
    return node, slices


def test_many_offsets_are_deleted_in_one_batch() -> None:
    """Their tombstones are encoded in slices, before anything is deleted."""
    node, slices = _begin_large_deletion()
    batches = sum(log.batches for log in node.world.logs)
    response = finish(slices)
    node.world.end_request()

    assert errors(response) == dict.fromkeys(MANY, ErrorCode.NONE)
    assert node.groups.offsets.fetch("g") == {}
    assert sum(log.batches for log in node.world.logs) == batches + 1


def test_an_offset_that_is_deleted_meanwhile_is_not_deleted_again() -> None:
    """The tombstones are those of the present offsets."""
    node, slices = _begin_large_deletion()
    node.groups.offsets.delete("g", MANY[:50])
    records = sum(log.end_offset for log in node.world.logs)
    finish(slices)
    node.world.end_request()

    assert sum(log.end_offset for log in node.world.logs) == records + len(MANY) - 50
    assert node.groups.offsets.fetch("g") == {}


def test_a_deletion_is_refused_if_the_node_resigns_meanwhile() -> None:
    """With the error of another coordinator."""
    node, slices = _begin_large_deletion()
    node.groups.runtime.on_resignation(node.groups.runtime.partition_for("g"))

    assert finish(slices).error_code == ErrorCode.NOT_COORDINATOR
