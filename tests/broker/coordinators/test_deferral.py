"""The effects of an append take place in the same step, whatever has caused it.

Actions that an append queues run at the end of a request. A timer task ends no request, and neither
does the high watermark of a partition when a follower moves it: both run the actions themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from broker.config import parse_config
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld
from tests.client import Client, RunningCluster, running_cluster

pytestmark = pytest.mark.anyio

MEMBER_JOINS = ConsumerGroupHeartbeatRequest(
    group_id="g",
    member_id="m",
    member_epoch=0,
    rebalance_timeout_ms=60_000,
    subscribed_topic_names=["t"],
    topic_partitions=[],
)
JOIN = JoinGroupRequest(
    group_id="g",
    session_timeout_ms=10_000,
    rebalance_timeout_ms=10_000,
    member_id="",
    protocol_type="consumer",
    protocols=[JoinGroupRequestProtocol(name="p", metadata=b"")],
)
_JOIN_WITHOUT_KNOWN_ID = 3


async def wait_for_appends(cluster: RunningCluster, client: Client) -> float:
    """Fetch from the end of the group's partition; returns the time until the response in ms."""
    (partition,) = cluster.node(1).replicas.partitions.values()
    requested = FetchPartition(
        partition=0, fetch_offset=partition.log.log_end_offset, partition_max_bytes=1 << 20
    )
    topic = FetchTopic(topic="__consumer_offsets", partitions=[requested])
    began = trio.current_time()
    response = await client.send(FetchRequest(max_wait_ms=60_000, min_bytes=1, topics=[topic]), 12)
    assert response.responses[0].partitions[0].records
    return (trio.current_time() - began) * 1000


@pytest.mark.parametrize(
    ("request_", "version", "session_timeout_ms"),
    [(JOIN, _JOIN_WITHOUT_KNOWN_ID, 10_000), (MEMBER_JOINS, 1, 45_000)],
    ids=["classic", "consumer"],
)
async def test_a_fetch_completes_when_an_expired_session_appends(
    tmp_path: Path, request_: Any, version: int, session_timeout_ms: int
) -> None:
    """The member's removal is appended by a timer task while no request is in progress."""
    async with running_cluster(
        tmp_path, 1, offsets_topic_num_partitions="1", group_initial_rebalance_delay_ms="0"
    ) as cluster:
        ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
        joined = await cluster.client(1).send(request_, version)
        assert joined.error_code == ErrorCode.NONE
        if request_ is JOIN:
            await _sync(cluster.client(1), joined)

        waited_ms = await wait_for_appends(cluster, cluster.client(1))

        assert waited_ms == pytest.approx(session_timeout_ms, abs=2)


async def test_a_sync_completes_with_the_fetch_of_a_follower(tmp_path: Path) -> None:
    """The assignment is replicated by the follower's fetch; the response takes no time."""
    async with running_cluster(
        tmp_path,
        2,
        offsets_topic_num_partitions="1",
        offsets_topic_replication_factor="2",
        group_initial_rebalance_delay_ms="0",
    ) as cluster:
        image = ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
        client = cluster.client(image.partitions[0].leader)
        joined = await client.send(JOIN, _JOIN_WITHOUT_KNOWN_ID)
        began = trio.current_time()

        assert await _sync(client, joined) == b"part"
        assert (trio.current_time() - began) * 1000 == pytest.approx(0, abs=1)


async def _sync(client: Client, joined: Any) -> bytes:
    part = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"part")
    sync = SyncGroupRequest(
        group_id="g",
        generation_id=joined.generation_id,
        member_id=joined.member_id,
        assignments=[part],
    )
    response = await client.send(sync, 3)
    assert response.error_code == ErrorCode.NONE
    return bytes(response.assignment)


def test_a_heartbeat_completes_when_an_expired_session_appends() -> None:
    """The high watermark moves in the timer task that removes another member."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["topic t 1", "consume a t", "wait 42000", "slow"])
    assert player.play(["consume b t"]) == []
    for log in world.logs:
        log.slow = False

    assert player.play(["wait 2999"]) == []
    assert player.play(["wait 1"]) == ["45000 b consume epoch 3 has nothing"]


def test_a_commit_completes_when_the_deletion_of_a_topic_appends() -> None:
    """The tombstones of its offsets are appended while a metadata change is applied."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["topic t 1", "commit - t-0=1", "slow"])
    assert player.play(["commit - t-0=2"]) == []
    for log in world.logs:
        log.slow = False

    assert player.play(["drop t"]) == ["0 - commit NONE"]


def test_a_commit_completes_when_the_expiry_of_offsets_appends() -> None:
    """``offsets.retention.check.interval.ms`` is a timer task, too."""
    world = VirtualWorld(parse_config({"offsets.retention.minutes": "1"}))
    player = ScriptPlayer(world)
    player.play(["commit - t-0=1", "wait 60000", "slow"])
    assert player.play(["commit - t-1=1"]) == []
    for log in world.logs:
        log.slow = False

    assert player.play(["expire"]) == ["60000 - commit NONE"]
