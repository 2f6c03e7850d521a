"""Heartbeat and OffsetCommit of a member of a group."""

from __future__ import annotations

from compiling.workload.client import Client
from integration.machine.deadlines import eventually
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

_GROUP = "workload"
_SESSION_TIMEOUT_MS = 60_000
_COMMIT_VERSION = 9  # the last with names


def commit_offsets(bootstrap: str, topic: str, count: int) -> None:
    """Join a group, and send *count* heartbeats and commits."""
    with Client(bootstrap) as client:
        find = FindCoordinatorRequest(coordinator_keys=[_GROUP])
        eventually(
            lambda: not client.request(find).coordinators[0].error_code, "the group coordinator"
        )
        member_id, generation_id = _join(client)
        for offset in range(count):
            beat = HeartbeatRequest(
                group_id=_GROUP, generation_id=generation_id, member_id=member_id
            )
            assert not client.request(beat).error_code
            partition = OffsetCommitRequestPartition(
                partition_index=0, committed_offset=offset, committed_metadata=""
            )
            commit = OffsetCommitRequest(
                group_id=_GROUP,
                generation_id_or_member_epoch=generation_id,
                member_id=member_id,
                topics=[OffsetCommitRequestTopic(name=topic, partitions=[partition])],
            )
            committed = client.request(commit, _COMMIT_VERSION)
            assert not committed.topics[0].partitions[0].error_code, committed


def _join(client: Client) -> tuple[str, int]:
    """Join as the only member; return its id and the generation."""

    def join(member_id: str) -> JoinGroupRequest:
        return JoinGroupRequest(
            group_id=_GROUP,
            session_timeout_ms=_SESSION_TIMEOUT_MS,
            rebalance_timeout_ms=_SESSION_TIMEOUT_MS,
            member_id=member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        )

    refused = client.request(join(""))
    assert refused.error_code == ErrorCode.MEMBER_ID_REQUIRED, refused
    joined = client.request(join(refused.member_id))
    assert not joined.error_code, joined
    sync = SyncGroupRequest(
        group_id=_GROUP,
        generation_id=joined.generation_id,
        member_id=joined.member_id,
        protocol_type="consumer",
        protocol_name="range",
        assignments=[SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"")],
    )
    assert not client.request(sync).error_code
    return joined.member_id, joined.generation_id
