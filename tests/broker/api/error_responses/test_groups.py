"""Error responses of requests about groups, compared with Kafka 4.3.1."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.join_group import JoinGroupRequest
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

BUG = ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize(("version", "name"), [(0, ""), (6, ""), (7, None), (9, None)])
def test_an_error_of_join_group_has_no_protocol(version: int, name: str | None) -> None:
    """Old versions write that as an empty name."""
    body = JoinGroupRequest(
        group_id="g", session_timeout_ms=1, member_id="m", protocol_type="consumer", protocols=[]
    )
    response: Any = error_response(body, version, BUG)

    assert (response.error_code, response.generation_id, response.protocol_name) == (-1, -1, name)
    assert (response.leader, response.member_id, response.members) == ("", "", [])


def test_errors_of_offset_fetch_v1_are_in_each_partition() -> None:
    """That version has no top-level code."""
    topic = OffsetFetchRequestTopic(name="t", partition_indexes=[3])
    response: Any = error_response(OffsetFetchRequest(group_id="g", topics=[topic]), 1, BUG)

    (partition,) = response.topics[0].partitions
    assert (partition.partition_index, partition.error_code) == (3, -1)
    assert (partition.committed_offset, partition.metadata) == (-1, "")


def test_errors_of_later_offset_fetches_are_at_the_top() -> None:
    """One for the group, or one for each group."""
    topic = OffsetFetchRequestTopic(name="t", partition_indexes=[3])
    response: Any = error_response(OffsetFetchRequest(group_id="g", topics=[topic]), 2, BUG)
    assert (response.error_code, response.topics) == (-1, [])

    groups = [OffsetFetchRequestGroup(group_id=name, topics=None) for name in "gh"]
    response = error_response(OffsetFetchRequest(groups=groups), 8, BUG)
    assert [(each.group_id, each.error_code, each.topics) for each in response.groups] == [
        ("g", -1, []),
        ("h", -1, []),
    ]


def test_errors_of_txn_offset_commit_are_in_each_partition() -> None:
    """No version has a top-level code."""
    partition = TxnOffsetCommitRequestPartition(
        partition_index=3, committed_offset=5, committed_metadata=None
    )
    body = TxnOffsetCommitRequest(
        transactional_id="tx",
        group_id="g",
        producer_id=1,
        producer_epoch=0,
        topics=[TxnOffsetCommitRequestTopic(name="t", partitions=[partition])],
    )
    response: Any = error_response(body, 5, BUG)

    (result,) = response.topics[0].partitions
    assert (response.topics[0].name, result.partition_index, result.error_code) == ("t", 3, -1)
