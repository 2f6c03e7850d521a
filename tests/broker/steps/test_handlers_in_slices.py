"""Requests with many items are handled in slices, for every API; slices are counted, not timed."""

from __future__ import annotations

from inspect import isgeneratorfunction
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from broker.api.table import ALL_APIS
from protocol.apis import APIS
from protocol.codec import coded
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    EntityData,
    EntryData,
    OpData,
)
from protocol.messages.alter_configs import AlterConfigsRequest, AlterConfigsResource
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.share_group_describe import ShareGroupDescribeRequest
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from protocol.messages.write_share_group_state import (
    PartitionData,
    WriteShareGroupStateRequest,
    WriteStateData,
)
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from protocol.wire import has_items
from tests.client import running_node
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio

ITEMS = 400
TIMEOUT_MS = 1000

# Handlers of requests with arrays that are not generator functions, and why.
AT_ONCE = {
    "produce": "yields if there are many partitions (test_produce_in_slices)",
    "add_partitions_to_txn": "yields if there are many items",
    "write_txn_markers": "yields if there are many items",
    "offset_commit": "yields if there are many partitions",
    "fetch": "yields if there are many partitions (test_fetch_in_slices)",
    "share_fetch": "yields if there are many partitions (test_share_requests_in_slices)",
    "share_acknowledge": "yields if there are many items (test_share_requests_in_slices)",
    "share_group_heartbeat": "yields if there are many topics; its group changes in one step",
    "initialize_share_group_state": "yields (`share_states`)",
    "read_share_group_state": "yields (`share_states`)",
    "read_share_group_state_summary": "yields (`share_states`)",
    "write_share_group_state": "yields (`share_states`)",
    "delete_share_group_state": "yields (`share_states`)",
    "join_group": "yields if there are many protocols; its group changes in one step",
    "sync_group": "yields if there are many assignments; its group changes in one step",
    "leave_group": "yields if there are many members; those found leave in one step",
    "consumer_group_heartbeat": "prepared in a worker thread if its group is large",
    "describe_quorum": "one partition has a quorum",
    "list_groups": "its arrays are filters",
    "list_partition_reassignments": "those under way are few",
}


def test_handlers_of_arrays_yield() -> None:
    """A handler of a request with an array is a generator function or a listed exception."""
    at_once = set()
    for request, handler in filter(None, map(ALL_APIS.get, APIS)):
        version = request.__spec__.versions[-1]
        plain, _ = coded(request, version, version >= request.__spec__.flexible)
        if has_items(each.wire for each in plain) and not isgeneratorfunction(handler):
            at_once.add(request.__module__.rpartition(".")[2])
    assert at_once == set(AT_ONCE)


def _topic(index: int) -> CreatableTopic:
    return CreatableTopic(
        name=f"new{index}", num_partitions=1, replication_factor=1, assignments=[], configs=[]
    )


def _quota(index: int) -> EntryData:
    entity = [EntityData(entity_type="client-id", entity_name=f"c{index}")]
    return EntryData(entity=entity, ops=[OpData(key="producer_byte_rate", value=1e6, remove=False)])


NUMBERS = range(ITEMS)
REQUESTS: list[Any] = [
    MetadataRequest(
        topics=[MetadataRequestTopic(name=f"n{each}") for each in NUMBERS],
        allow_auto_topic_creation=False,
    ),
    DeleteTopicsRequest(
        topics=[DeleteTopicState(name=f"n{each}") for each in NUMBERS], timeout_ms=TIMEOUT_MS
    ),
    CreatePartitionsRequest(
        topics=[
            CreatePartitionsTopic(name=f"n{each}", count=2, assignments=None) for each in NUMBERS
        ],
        timeout_ms=TIMEOUT_MS,
        validate_only=False,
    ),
    DeleteRecordsRequest(
        topics=[
            DeleteRecordsTopic(
                name="n",
                partitions=[DeleteRecordsPartition(partition_index=each, offset=0)],
            )
            for each in NUMBERS
        ],
        timeout_ms=TIMEOUT_MS,
    ),
    ElectLeadersRequest(
        election_type=0,
        topic_partitions=[TopicPartitions(topic="n", partitions=list(NUMBERS))],
        timeout_ms=TIMEOUT_MS,
    ),
    DescribeConfigsRequest(
        resources=[
            DescribeConfigsResource(
                resource_type=4, resource_name="1", configuration_keys=["log.retention.ms"]
            )
        ]
        * ITEMS
    ),
    AlterConfigsRequest(
        resources=[
            AlterConfigsResource(resource_type=2, resource_name=f"n{each}", configs=[])
            for each in NUMBERS
        ],
        validate_only=False,
    ),
    AlterClientQuotasRequest(entries=[_quota(each) for each in NUMBERS], validate_only=False),
    DescribeGroupsRequest(groups=[f"g{each}" for each in NUMBERS]),
    ShareGroupDescribeRequest(group_ids=[f"g{each}" for each in NUMBERS]),
    WriteShareGroupStateRequest(
        group_id="g",
        topics=[
            WriteStateData(
                topic_id=UUID(int=each),
                partitions=[
                    PartitionData(
                        partition=0, state_epoch=0, leader_epoch=0, start_offset=0, state_batches=[]
                    )
                ],
            )
            for each in NUMBERS
        ],
    ),
    ConsumerGroupDescribeRequest(group_ids=[f"g{each}" for each in NUMBERS]),
    ShareGroupDescribeRequest(group_ids=[f"g{each}" for each in NUMBERS]),
    DeleteGroupsRequest(groups_names=[f"g{each}" for each in NUMBERS]),
    FindCoordinatorRequest(key_type=1, coordinator_keys=[f"g{each}" for each in NUMBERS]),
    AddPartitionsToTxnRequest(
        transactions=[
            AddPartitionsToTxnTransaction(
                transactional_id="t",
                producer_id=1,
                producer_epoch=0,
                topics=[AddPartitionsToTxnTopic(name=f"n{each}", partitions=[0])],
            )
            for each in NUMBERS
        ]
    ),
    WriteTxnMarkersRequest(
        markers=[
            WritableTxnMarker(
                producer_id=each,
                producer_epoch=0,
                transaction_result=True,
                topics=[WritableTxnMarkerTopic(name="n", partition_indexes=[0])],
                coordinator_epoch=0,
            )
            for each in NUMBERS
        ]
    ),
    JoinGroupRequest(
        group_id="g",
        session_timeout_ms=30_000,
        rebalance_timeout_ms=30_000,
        member_id="",
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name=f"n{each}", metadata=b"") for each in NUMBERS],
    ),
    SyncGroupRequest(
        group_id="g",
        generation_id=1,
        member_id="m",
        protocol_type="consumer",
        protocol_name="n",
        assignments=[
            SyncGroupRequestAssignment(member_id=f"m{each}", assignment=b"") for each in NUMBERS
        ],
    ),
    LeaveGroupRequest(
        group_id="g",
        member_id="",
        members=[MemberIdentity(member_id=f"m{each}") for each in NUMBERS],
    ),
    ShareGroupHeartbeatRequest(
        group_id="g",
        member_id="m",
        member_epoch=0,
        subscribed_topic_names=[f"n{each}" for each in NUMBERS],
    ),
    OffsetCommitRequest(
        group_id="g",
        member_id="",
        topics=[
            OffsetCommitRequestTopic(
                name="n",
                partitions=[
                    OffsetCommitRequestPartition(
                        partition_index=each, committed_offset=0, committed_metadata=""
                    )
                    for each in NUMBERS
                ],
            )
        ],
    ),
]


@pytest.mark.parametrize("body", REQUESTS, ids=lambda body: type(body).__name__)
async def test_items_are_pieces_of_work(tmp_path: Path, body: Any) -> None:
    """The clock advances by 1 ms at each reading, so a slice has two pieces of a few items."""
    async with running_node(tmp_path, auto_create_topics_enable="false") as node:
        before = short_slices(node.cluster.steps)
        version = 8 if isinstance(body, OffsetCommitRequest) else None
        await node.client().send(body, version)

        assert node.cluster.steps.slices_run - before >= ITEMS / 50


async def test_partitions_of_a_new_topic_are_applied_in_slices(tmp_path: Path) -> None:
    """The response is sent after the last one."""
    async with running_node(tmp_path) as node:
        node.cluster.steps.now_ms = count().__next__
        topic = _topic(0)
        topic.num_partitions = ITEMS
        response = await node.client().send(
            CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS)
        )

        assert response.topics[0].error_code == 0
        assert len(node.node.replicas.partitions) == ITEMS
        assert node.cluster.steps.slices_run >= ITEMS / 2


async def test_many_topics_are_created_in_few_transactions(tmp_path: Path) -> None:
    """All of them exist when the response is sent."""
    async with running_node(tmp_path) as node:
        node.cluster.steps.now_ms = count().__next__
        topics = [_topic(each) for each in range(60)]
        response = await node.client().send(
            CreateTopicsRequest(topics=topics, timeout_ms=TIMEOUT_MS)
        )

        assert {each.error_code for each in response.topics} == {0}
        assert len(node.node.replicas.partitions) == 60
        assert node.cluster.steps.slices_run >= 60
