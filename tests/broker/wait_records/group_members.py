"""A group with one member, for tests of records."""

from __future__ import annotations

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.client import Client, RunningCluster

JOIN_VERSION = 3  # with which a member may join without an id


async def first_member(cluster: RunningCluster, coordinator: int = 1) -> tuple[Client, str]:
    """The client and id of the only member of a stable group."""
    ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
    client = cluster.client(coordinator)
    joined = await client.send(join(), JOIN_VERSION, "first")
    assignment = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"all")
    sync = SyncGroupRequest(
        group_id="g", generation_id=1, member_id=joined.member_id, assignments=[assignment]
    )
    await client.send(sync, 3, "first")
    return client, joined.member_id


def join(member_id: str = "") -> JoinGroupRequest:
    """A JoinGroup of a member, of a new one without an id."""
    return JoinGroupRequest(
        group_id="g",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=5000,
        member_id=member_id,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="p", metadata=b"")],
    )
