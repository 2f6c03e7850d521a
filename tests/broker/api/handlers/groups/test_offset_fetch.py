"""OffsetFetch."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from broker.api.handlers.groups.offset_fetch import offset_fetch
from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_log import TransactionalProducer
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tests.broker.api.handlers.groups.group_request import (
    T_ID,
    U_ID,
    GroupRequest,
    GroupServices,
    call,
)

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


# -------------------------------------------------------------------------------- transactions


def commit_in_transaction(node: GroupServices) -> None:
    """Commit t-0 and t-9 of group g in a transaction, which stays open."""
    commits = [Commit(TopicPartition("t", 0), 50), Commit(TopicPartition("t", 9), 9)]
    producer = TransactionalProducer(producer_id=5, producer_epoch=0)
    node.groups.offsets.commit(OffsetCommit(group_id="g", producer=producer, commits=commits))
    node.world.end_request()


def end_transaction(node: GroupServices) -> None:
    """Commit the transaction."""
    partition = node.groups.runtime.partition_for("g")
    node.groups.complete_transaction(partition, 5, 0, 0, True, 0, lambda _error: None)
    node.world.end_request()


def stable_request(node: GroupServices, version: int, *, of_all: bool = False) -> GroupRequest:
    """A request for stable offsets of t-0, t-1 and t-9, or of all partitions."""
    indexes = [0, 1, 9]
    if version < 8:
        topics = [OffsetFetchRequestTopic(name="t", partition_indexes=indexes)]
        return GroupRequest(
            node,
            OffsetFetchRequest(
                group_id="g", topics=None if of_all else topics, require_stable=True
            ),
            version,
        )
    named = {"topic_id": T_ID} if version >= 10 else {"name": "t"}
    topic = OffsetFetchRequestTopics(partition_indexes=indexes, **named)
    group = OffsetFetchRequestGroup(group_id="g", topics=None if of_all else [topic])
    return GroupRequest(node, OffsetFetchRequest(groups=[group], require_stable=True), version)


def results(response: Any, version: int) -> list[tuple[int, int, int, str]]:
    """Index, offset, error and metadata of the partitions of topic t."""
    topics = response.topics if version < 8 else response.groups[0].topics
    return [
        (each.partition_index, each.committed_offset, each.error_code, each.metadata)
        for topic in topics
        for each in topic.partitions
        if topic.name == "t" or (version >= 10 and topic.topic_id == T_ID)
    ]


UNSTABLE = ErrorCode.UNSTABLE_OFFSET_COMMIT


@pytest.mark.parametrize("version", range(7, 11))
def test_a_partition_in_an_open_transaction_is_unstable(node: GroupServices, version: int) -> None:
    """Mirrors testFetchOffsetsWithPendingTransactionalOffsets; the response does not wait."""
    commit_in_transaction(node)
    response = call(offset_fetch, stable_request(node, version))

    assert results(response, version) == [
        (0, -1, UNSTABLE, ""),
        (1, 6, ErrorCode.NONE, ""),
        (9, -1, UNSTABLE, ""),
    ]
    end_transaction(node)
    response = call(offset_fetch, stable_request(node, version))
    assert [each[:3] for each in results(response, version)] == [
        (0, 50, ErrorCode.NONE),
        (1, 6, ErrorCode.NONE),
        (9, 9, ErrorCode.NONE),
    ]


@pytest.mark.parametrize("version", range(7, 11))
def test_all_stable_offsets_of_a_group(node: GroupServices, version: int) -> None:
    """Mirrors testFetchAllOffsetsWithPendingTransactionalOffsets.

    A partition is in the response only if it has a committed offset.
    """
    commit_in_transaction(node)
    response = call(offset_fetch, stable_request(node, version, of_all=True))

    assert results(response, version) == [(0, -1, UNSTABLE, ""), (1, 6, ErrorCode.NONE, "")]


def test_the_last_committed_offset_is_fetched_without_require_stable(node: GroupServices) -> None:
    """Pending offsets are ignored then."""
    commit_in_transaction(node)
    request = stable_request(node, 9)
    request.body.require_stable = False
    response = call(offset_fetch, request)

    assert [each[:3] for each in results(response, 9)] == [
        (0, 5, ErrorCode.NONE),
        (1, 6, ErrorCode.NONE),
        (9, -1, ErrorCode.NONE),
    ]


def test_stable_offsets_are_those_when_the_request_arrived(node: GroupServices) -> None:
    """A request that waits for replication does not see later commits, committed or pending."""
    node.world.slow_down()
    node.groups.offsets.commit(
        OffsetCommit(group_id="g", commits=[Commit(TopicPartition("t", 1), 60)])
    )
    request = stable_request(node, 9)
    assert call(offset_fetch, request) is None
    commit_in_transaction(node)
    node.world.replicate()

    (response,) = request.responses
    assert [each[:3] for each in results(response, 9)] == [
        (0, 5, ErrorCode.NONE),
        (1, 60, ErrorCode.NONE),
        (9, -1, ErrorCode.NONE),
    ]
