"""Error responses of requests about groups.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from typing import Final

from broker.api.error_responses.failure import ErrorResponses, Failure
from broker.api.error_responses.share_groups import SHARE_GROUPS
from broker.api.error_responses.streams_groups import STREAMS_GROUPS
from protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from protocol.messages.consumer_group_describe import DescribedGroup as DescribedConsumerGroup
from protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)
from protocol.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from protocol.messages.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponseTopic,
)
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

# Older versions write "no protocol" as an empty name.
_NULL_PROTOCOL_SINCE = 7
# In older versions each partition has the code, and the whole response has none.
_OFFSET_FETCH_ERROR_SINCE = 2


def _offset_commit(body: OffsetCommitRequest, failure: Failure) -> OffsetCommitResponse:
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition_index=partition.partition_index, error_code=failure.code
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in body.topics
        ]
    )


def _txn_offset_commit(body: TxnOffsetCommitRequest, failure: Failure) -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse(
        topics=[
            TxnOffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    TxnOffsetCommitResponsePartition(
                        partition_index=partition.partition_index, error_code=failure.code
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in body.topics
        ]
    )


def _offset_fetch(body: OffsetFetchRequest, failure: Failure) -> OffsetFetchResponse:
    topics = [] if failure.version >= _OFFSET_FETCH_ERROR_SINCE else body.topics or []
    return OffsetFetchResponse(
        error_code=failure.code,
        topics=[
            OffsetFetchResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetFetchResponsePartition(
                        partition_index=index, committed_offset=-1, error_code=failure.code
                    )
                    for index in topic.partition_indexes
                ],
            )
            for topic in topics
        ],
        groups=[
            OffsetFetchResponseGroup(group_id=group.group_id, error_code=failure.code)
            for group in body.groups
        ],
    )


def _join_group(_body: JoinGroupRequest, failure: Failure) -> JoinGroupResponse:
    return JoinGroupResponse(
        error_code=failure.code,
        protocol_name=None if failure.version >= _NULL_PROTOCOL_SINCE else "",
        leader="",
        member_id="",
        members=[],
    )


def _heartbeat(_body: HeartbeatRequest, failure: Failure) -> HeartbeatResponse:
    return HeartbeatResponse(error_code=failure.code)


def _leave_group(_body: LeaveGroupRequest, failure: Failure) -> LeaveGroupResponse:
    return LeaveGroupResponse(error_code=failure.code)


def _sync_group(_body: SyncGroupRequest, failure: Failure) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=failure.code, assignment=b"")


def _describe_groups(body: DescribeGroupsRequest, failure: Failure) -> DescribeGroupsResponse:
    return DescribeGroupsResponse(
        groups=[
            DescribedGroup(
                error_code=failure.code,
                group_id=group_id,
                group_state="",
                protocol_type="",
                protocol_data="",
                members=[],
            )
            for group_id in body.groups
        ]
    )


def _list_groups(_body: ListGroupsRequest, failure: Failure) -> ListGroupsResponse:
    return ListGroupsResponse(error_code=failure.code, groups=[])


def _delete_groups(body: DeleteGroupsRequest, failure: Failure) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(
        results=[
            DeletableGroupResult(group_id=group_id, error_code=failure.code)
            for group_id in body.groups_names
        ]
    )


def _offset_delete(_body: OffsetDeleteRequest, failure: Failure) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(error_code=failure.code, topics=[])


def _consumer_group_heartbeat(
    _body: ConsumerGroupHeartbeatRequest, failure: Failure
) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(error_code=failure.code)


def _consumer_group_describe(
    body: ConsumerGroupDescribeRequest, failure: Failure
) -> ConsumerGroupDescribeResponse:
    return ConsumerGroupDescribeResponse(
        groups=[
            DescribedConsumerGroup(error_code=failure.code, group_id=group_id, members=[])
            for group_id in body.group_ids
        ]
    )


ERROR_RESPONSES: Final[ErrorResponses] = {
    OffsetCommitRequest: _offset_commit,
    TxnOffsetCommitRequest: _txn_offset_commit,
    OffsetFetchRequest: _offset_fetch,
    JoinGroupRequest: _join_group,
    HeartbeatRequest: _heartbeat,
    LeaveGroupRequest: _leave_group,
    SyncGroupRequest: _sync_group,
    DescribeGroupsRequest: _describe_groups,
    ListGroupsRequest: _list_groups,
    DeleteGroupsRequest: _delete_groups,
    OffsetDeleteRequest: _offset_delete,
    ConsumerGroupHeartbeatRequest: _consumer_group_heartbeat,
    ConsumerGroupDescribeRequest: _consumer_group_describe,
    **SHARE_GROUPS,
    **STREAMS_GROUPS,
}
