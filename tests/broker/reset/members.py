"""A member of a classic group, and the reset of a cluster in memory."""

from __future__ import annotations

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.reset.given import NOTHING_GIVEN, Given
from broker.reset.reset import Reset
from protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.client import Client, RunningCluster

JOIN_VERSION = 3


def reset_of(running: RunningCluster, given: Given = NOTHING_GIVEN) -> Reset:
    """The reset of a running cluster."""
    cluster = running.cluster
    return Reset(cluster, given, cluster.clock.run)


def join_request(group_id: str, member_id: str = "") -> JoinGroupRequest:
    """A join, which waits for the other members of the group."""
    return JoinGroupRequest(
        group_id=group_id,
        session_timeout_ms=30_000,
        rebalance_timeout_ms=30_000,
        member_id=member_id,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
    )


async def join(running: RunningCluster, client: Client, group_id: str) -> JoinGroupResponse:
    """Join a group that has no other member; *client* is connected to its coordinator."""
    ensure_internal_topic(running.controller, offsets_topic(running.cluster.config))
    response: JoinGroupResponse = await client.send(join_request(group_id), JOIN_VERSION)
    assert response.error_code == 0
    return response


def commit_request(group_id: str, topic: str, offset: int) -> OffsetCommitRequest:
    """A commit of partition 0 by a client that is no member."""
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_metadata=""
    )
    topics = [OffsetCommitRequestTopic(name=topic, partitions=[partition])]
    return OffsetCommitRequest(
        group_id=group_id, generation_id_or_member_epoch=-1, member_id="", topics=topics
    )
