"""OffsetFetch."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from broker.api.handlers.offset_fetch import offset_fetch
from broker.common.topic_partition import TopicPartition
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tests.broker.api.handlers.group_request import T_ID, U_ID, GroupRequest, GroupServices, call

UNKNOWN_ID = UUID(int=9)


@pytest.fixture
def node() -> GroupServices:
    """A node on which group g has committed t-0, t-1 and u-0."""
    node = GroupServices()
    commits = [
        Commit(TopicPartition("t", 0), 5, 3, "here"),
        Commit(TopicPartition("t", 1), 6),
        Commit(TopicPartition("u", 0), 7),
    ]
    request = OffsetCommit(group_id="g", commits=commits)
    node.groups.offsets.commit(request)
    return node


def offsets_of(topics: Any) -> dict[Any, list[tuple[int, int]]]:
    """Index and offset of all partitions, by topic."""
    return {
        topic.name or topic.topic_id: [
            (each.partition_index, each.committed_offset) for each in topic.partitions
        ]
        for topic in topics
    }


@pytest.mark.parametrize("version", range(1, 8))
def test_partitions_of_one_group(node: GroupServices, version: int) -> None:
    """Without a committed offset it is -1, with empty metadata, also for unknown partitions."""
    topics = [
        OffsetFetchRequestTopic(name="t", partition_indexes=[0, 9]),
        OffsetFetchRequestTopic(name="nope", partition_indexes=[0]),
    ]
    body = OffsetFetchRequest(group_id="g", topics=topics)
    response = call(offset_fetch, GroupRequest(node, body, version))

    assert offsets_of(response.topics) == {"t": [(0, 5), (9, -1)], "nope": [(0, -1)]}
    here, nothing = response.topics[0].partitions
    assert (here.metadata, nothing.metadata) == ("here", "")
    assert (here.error_code, nothing.error_code) == (ErrorCode.NONE, ErrorCode.NONE)
    if version >= 5:
        assert (here.committed_leader_epoch, nothing.committed_leader_epoch) == (3, -1)


@pytest.mark.parametrize("version", range(2, 8))
def test_all_offsets_of_one_group(node: GroupServices, version: int) -> None:
    """Null topics mean all committed offsets; an empty list means none."""
    everything = OffsetFetchRequest(group_id="g", topics=None)
    nothing = OffsetFetchRequest(group_id="g", topics=[])

    response = call(offset_fetch, GroupRequest(node, everything, version))
    assert offsets_of(response.topics) == {"t": [(0, 5), (1, 6)], "u": [(0, 7)]}
    assert call(offset_fetch, GroupRequest(node, nothing, version)).topics == []


@pytest.mark.parametrize("version", [8, 9])
def test_many_groups_by_name(node: GroupServices, version: int) -> None:
    """Each group has its own result; one that does not exist has no committed offsets."""
    requested = [OffsetFetchRequestTopics(name="t", partition_indexes=[1])]
    groups = [
        OffsetFetchRequestGroup(group_id="g", topics=requested),
        OffsetFetchRequestGroup(group_id="absent", topics=requested),
        OffsetFetchRequestGroup(group_id="absent", topics=None),
        OffsetFetchRequestGroup(group_id="g", topics=None),
    ]
    body = OffsetFetchRequest(groups=groups, require_stable=True)
    response = call(offset_fetch, GroupRequest(node, body, version))

    assert [(group.group_id, offsets_of(group.topics)) for group in response.groups] == [
        ("g", {"t": [(1, 6)]}),
        ("absent", {"t": [(1, -1)]}),
        ("absent", {}),
        ("g", {"t": [(0, 5), (1, 6)], "u": [(0, 7)]}),
    ]


def test_topics_by_id(node: GroupServices) -> None:
    """v10: an unknown id is an error of its partitions."""
    requested = [
        OffsetFetchRequestTopics(topic_id=T_ID, partition_indexes=[0]),
        OffsetFetchRequestTopics(topic_id=UNKNOWN_ID, partition_indexes=[0]),
    ]
    body = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=requested)])
    (group,) = call(offset_fetch, GroupRequest(node, body, 10)).groups

    assert offsets_of(group.topics) == {T_ID: [(0, 5)], UNKNOWN_ID: [(0, -1)]}
    errors = [each.error_code for topic in group.topics for each in topic.partitions]
    assert errors == [ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_ID]


def test_all_offsets_by_id_omit_deleted_topics(node: GroupServices) -> None:
    """v10: a deleted topic has no id."""
    topic = node.image.topic("u")
    assert topic is not None
    node.image.remove(topic)
    body = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=None)])
    (group,) = call(offset_fetch, GroupRequest(node, body, 10)).groups

    assert offsets_of(group.topics) == {T_ID: [(0, 5), (1, 6)]}
    assert U_ID not in offsets_of(group.topics)
