"""OffsetCommit."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from broker.api.handlers.groups.offset_commit import offset_commit
from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.broker.api.handlers.groups.group_request import T_ID, GroupRequest, GroupServices, call

UNKNOWN_ID = UUID(int=9)


def commit(
    node: GroupServices, version: int, *topics: tuple[str | UUID, int], **fields: Any
) -> Any:
    """Commit offset 5 of some partitions, each in a topic entry of its own."""
    requested = []
    for topic, index in topics:
        partition = OffsetCommitRequestPartition(
            partition_index=index,
            committed_offset=5,
            committed_leader_epoch=3 if version >= 6 else -1,
            committed_metadata="m",
        )
        named = {"name": topic} if isinstance(topic, str) else {"topic_id": topic}
        requested.append(OffsetCommitRequestTopic(partitions=[partition], **named))
    values: dict[str, Any] = {"group_id": "g", "member_id": "", "topics": requested}
    return call(offset_commit, GroupRequest(node, OffsetCommitRequest(**values | fields), version))


def errors(response: Any) -> list[int]:
    """The errors of all partitions, in order."""
    return [each.error_code for topic in response.topics for each in topic.partitions]


@pytest.mark.parametrize("version", range(2, 11))
def test_a_simple_consumer_commits_at_every_version(version: int) -> None:
    """By name up to v9, by id in v10."""
    node = GroupServices()
    response = commit(node, version, (T_ID if version >= 10 else "t", 1))

    assert errors(response) == [ErrorCode.NONE]
    committed = node.groups.offsets.fetch("g")[TopicPartition("t", 1)]
    assert (committed.offset, committed.metadata) == (5, "m")
    assert committed.leader_epoch == (3 if version >= 6 else -1)


def test_an_unknown_partition_has_an_error_of_its_own() -> None:
    """The rest of the request is committed."""
    node = GroupServices()
    response = commit(node, 9, ("t", 0), ("t", 2), ("t", -1), ("nope", 0))

    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert errors(response) == [unknown, unknown, ErrorCode.NONE, unknown]
    assert list(node.groups.offsets.fetch("g")) == [TopicPartition("t", 0)]


def test_an_unknown_topic_id_has_an_error_of_its_own() -> None:
    """v10; an unknown partition of a known topic has the same error as before."""
    response = commit(GroupServices(), 10, (UNKNOWN_ID, 0), (T_ID, 7), (T_ID, 0))

    assert [topic.topic_id for topic in response.topics] == [UNKNOWN_ID, T_ID]
    assert errors(response) == [
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NONE,
    ]


@pytest.mark.parametrize(
    ("version", "error"), [(8, ErrorCode.ILLEGAL_GENERATION), (9, ErrorCode.GROUP_ID_NOT_FOUND)]
)
def test_the_group_refuses_the_known_partitions_only(version: int, error: ErrorCode) -> None:
    """Each partition has its own error."""
    claim = {"generation_id_or_member_epoch": 5, "member_id": "m"}
    response = commit(GroupServices(), version, ("t", 0), ("nope", 0), **claim)

    assert errors(response) == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, error]


def test_without_known_partitions_the_group_is_not_checked() -> None:
    """Not even whether it exists."""
    claim = {"generation_id_or_member_epoch": 5, "member_id": "m"}

    assert errors(commit(GroupServices(), 9, ("nope", 0), **claim)) == [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    ]
    assert errors(commit(GroupServices(), 9, **claim)) == []


def test_old_versions_may_have_a_retention_time() -> None:
    """v2 to v4."""
    node = GroupServices()
    commit(node, 4, ("t", 0), retention_time_ms=1000)

    offset = node.groups.offsets.fetch("g")[TopicPartition("t", 0)]
    assert offset.expire_timestamp_ms == offset.commit_timestamp_ms + 1000


def test_a_topic_is_in_the_response_once_if_a_partition_is_refused() -> None:
    """Refused partitions come first (Kafka's ``OffsetCommitResponse.Builder``)."""
    node = GroupServices()

    response = commit(node, 9, ("t", 1), ("unknown", 0), ("t", 7), ("unknown", 1), ("u", 0))

    assert [
        (topic.name, [each.partition_index for each in topic.partitions])
        for topic in response.topics
    ] == [("unknown", [0, 1]), ("t", [7, 1]), ("u", [0])]


def test_a_topic_without_partitions_is_in_the_response_only_if_it_is_refused() -> None:
    """As in Kafka, also if nothing else is committed."""
    node = GroupServices()
    empty = [OffsetCommitRequestTopic(name=name, partitions=[]) for name in ("t", "unknown")]

    response = commit(node, 9, topics=empty)

    assert [(topic.name, topic.partitions) for topic in response.topics] == [("unknown", [])]
