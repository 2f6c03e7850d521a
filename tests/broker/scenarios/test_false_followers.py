"""Fetches that claim to come from a follower, but do not, leave the replicas unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from tests.broker.scenarios.three_nodes import (
    LAG_MAX_MS,
    NODES,
    PendingResponse,
    ThreeNodes,
    pass_ms,
    produced,
    settle,
    three_nodes,
)

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
NOT_LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER


async def _fetch_as(
    nodes: ThreeNodes,
    replica_id: int,
    *,
    replica_epoch: int = -1,
    offset: int = 0,
    leader_epoch: int = -1,
    node_id: int = 1,
) -> PendingResponse:
    """A fetch in the newest version that claims to come from that replica."""
    topic = nodes.controller.topic("t")
    assert topic is not None
    requested = FetchPartition(
        partition=0,
        fetch_offset=offset,
        current_leader_epoch=leader_epoch,
        log_start_offset=0,
        partition_max_bytes=1 << 20,
    )
    request = FetchRequest(
        replica_state=ReplicaState(replica_id=replica_id, replica_epoch=replica_epoch),
        max_wait_ms=0,
        min_bytes=1,
        topics=[FetchTopic(topic_id=topic.topic_id, partitions=[requested])],
    )
    return await nodes.send(request, 17, node_id)


def _error(pending: PendingResponse) -> int:
    [topic] = pending.response.responses
    return int(topic.partitions[0].error_code)


async def test_a_fetch_from_before_a_crash_is_refused(tmp_path: Path) -> None:
    """A late fetch says nothing about the log after the crash (KIP-903)."""
    async with three_nodes(tmp_path) as nodes:
        epoch = nodes.controller.image.brokers[3].epoch
        await nodes.cluster.stop(3)
        await nodes.cluster.start(3)
        await settle()
        nodes.cluster.pause(3)
        pending = await nodes.produce(b"a")

        for leader_epoch in (-1, 0):
            late = await _fetch_as(
                nodes, 3, replica_epoch=epoch, offset=1, leader_epoch=leader_epoch
            )
            assert _error(late) == NOT_LEADER

        assert not pending.has_arrived
        nodes.cluster.resume(3)
        await settle()
        assert produced(pending) == [(NONE, 0)]


@pytest.mark.parametrize(
    ("leader_epoch", "error"), [(-1, NOT_LEADER), (0, ErrorCode.UNKNOWN_LEADER_EPOCH)]
)
async def test_a_node_without_a_replica_is_refused(
    tmp_path: Path, leader_epoch: int, error: ErrorCode
) -> None:
    """A node of the cluster without a replica of this partition, or an unknown node."""
    async with three_nodes(tmp_path, brokers=4) as nodes:
        for replica_id in (4, 99):
            pending = await _fetch_as(nodes, replica_id, leader_epoch=leader_epoch)
            assert _error(pending) == error

        assert nodes.isr() == NODES
        assert produced(await nodes.produce(b"a")) == [(NONE, 0)]


async def test_a_follower_must_fetch_from_the_leader(tmp_path: Path) -> None:
    """A follower responds with NOT_LEADER_OR_FOLLOWER, or the error of a stale or future epoch."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.lead(2)
        await settle()

        assert _error(await _fetch_as(nodes, 3, node_id=1)) == NOT_LEADER
        stale = await _fetch_as(nodes, 3, node_id=1, leader_epoch=0)
        future = await _fetch_as(nodes, 3, node_id=2, leader_epoch=9)

        assert _error(stale) == ErrorCode.FENCED_LEADER_EPOCH
        assert _error(future) == ErrorCode.UNKNOWN_LEADER_EPOCH
        assert nodes.isr() == (1, 2, 3)


async def test_an_offset_out_of_range_changes_nothing(tmp_path: Path) -> None:
    """OFFSET_OUT_OF_RANGE; the follower's fetch state stays as it was."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        waiting = await nodes.produce(b"a")

        pending = await _fetch_as(nodes, 3, offset=99)

        assert _error(pending) == ErrorCode.OFFSET_OUT_OF_RANGE
        assert not waiting.has_arrived


async def test_a_follower_that_makes_no_progress_is_removed(tmp_path: Path) -> None:
    """A replica that fetches in time, but the same offset each time, is not in sync."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        await nodes.produce(b"a", acks=1)
        epoch = nodes.controller.image.brokers[3].epoch

        for _ in range(8):
            await _fetch_as(nodes, 3, replica_epoch=epoch, offset=0)
            await pass_ms(LAG_MAX_MS / 4)

        assert nodes.isr() == (1, 2)
