"""Fetches by who is not, or no longer, the follower that it says it is: the cluster is unharmed."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from tests.broker.scenarios.three_nodes import (
    LAG_MAX_MS,
    NODES,
    Answer,
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
) -> Answer:
    """A fetch in the newest version by somebody who claims to be that replica."""
    topic = nodes.controller.topic("t")
    assert topic is not None
    asked = FetchPartition(
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
        topics=[FetchTopic(topic_id=topic.topic_id, partitions=[asked])],
    )
    return await nodes.ask(request, 17, node_id)


def _error(answer: Answer) -> int:
    [topic] = answer.response.responses
    return int(topic.partitions[0].error_code)


async def test_a_former_life_is_turned_away(tmp_path: Path) -> None:
    """A late fetch from before a crash says nothing of the log after it (KIP-903)."""
    async with three_nodes(tmp_path) as nodes:
        epoch = nodes.controller.image.brokers[3].epoch
        await nodes.cluster.stop(3)
        await nodes.cluster.start(3)
        await settle()
        nodes.cluster.pause(3)
        answer = await nodes.produce(b"a")

        for leader_epoch in (-1, 0):
            late = await _fetch_as(
                nodes, 3, replica_epoch=epoch, offset=1, leader_epoch=leader_epoch
            )
            assert _error(late) == NOT_LEADER

        assert not answer.is_there
        nodes.cluster.resume(3)
        await settle()
        assert produced(answer) == [(NONE, 0)]


@pytest.mark.parametrize(
    ("leader_epoch", "error"), [(-1, NOT_LEADER), (0, ErrorCode.UNKNOWN_LEADER_EPOCH)]
)
async def test_who_has_no_replica_is_turned_away(
    tmp_path: Path, leader_epoch: int, error: ErrorCode
) -> None:
    """A node of the cluster that has none of this partition, or none that anybody knows."""
    async with three_nodes(tmp_path, brokers=4) as nodes:
        for replica_id in (4, 99):
            answer = await _fetch_as(nodes, replica_id, leader_epoch=leader_epoch)
            assert _error(answer) == error

        assert nodes.isr() == NODES
        assert produced(await nodes.produce(b"a")) == [(NONE, 0)]


async def test_a_follower_must_ask_the_leader(tmp_path: Path) -> None:
    """Another follower answers NOT_LEADER_OR_FOLLOWER, and stale and future epochs their errors."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.lead(2)
        await settle()

        assert _error(await _fetch_as(nodes, 3, node_id=1)) == NOT_LEADER
        stale = await _fetch_as(nodes, 3, node_id=1, leader_epoch=0)
        future = await _fetch_as(nodes, 3, node_id=2, leader_epoch=9)

        assert _error(stale) == ErrorCode.FENCED_LEADER_EPOCH
        assert _error(future) == ErrorCode.UNKNOWN_LEADER_EPOCH
        assert nodes.isr() == (1, 2, 3)


async def test_an_offset_that_was_never_there_moves_nothing(tmp_path: Path) -> None:
    """OFFSET_OUT_OF_RANGE; what is told of the follower stays as it was."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        waiting = await nodes.produce(b"a")

        answer = await _fetch_as(nodes, 3, offset=99)

        assert _error(answer) == ErrorCode.OFFSET_OUT_OF_RANGE
        assert not waiting.is_there


async def test_a_member_that_only_asks_is_dropped(tmp_path: Path) -> None:
    """Fetching in time from the same place is not being in sync."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        await nodes.produce(b"a", acks=1)
        epoch = nodes.controller.image.brokers[3].epoch

        for _ in range(8):
            await _fetch_as(nodes, 3, replica_epoch=epoch, offset=0)
            await pass_ms(LAG_MAX_MS / 4)

        assert nodes.isr() == (1, 2)
