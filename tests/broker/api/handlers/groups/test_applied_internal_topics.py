"""The creation of internal topics by StreamsGroupHeartbeat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TopicInfo,
    Topology,
)
from tests.client import running_node
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio

_CHANGELOGS = ("first", "second")


def _heartbeat(
    member_epoch: int, member_id: str = "a", **fields: Any
) -> StreamsGroupHeartbeatRequest:
    return StreamsGroupHeartbeatRequest(
        group_id="g",
        member_id=member_id,
        member_epoch=member_epoch,
        active_tasks=[],
        standby_tasks=[],
        warmup_tasks=[],
        **fields,
    )


def _join(member_id: str = "a") -> StreamsGroupHeartbeatRequest:
    """The first heartbeat of a member that reads topic in and has two changelogs."""
    subtopology = Subtopology(
        subtopology_id="0",
        source_topics=["in"],
        state_changelog_topics=[TopicInfo(name=name) for name in _CHANGELOGS],
    )
    topology = Topology(epoch=0, subtopologies=[subtopology])
    return _heartbeat(0, member_id, rebalance_timeout_ms=60_000, process_id="p", topology=topology)


async def test_the_next_heartbeat_finds_all_topics(tmp_path: Path) -> None:
    """Also if the node applies them one after the other: the epoch increases once."""
    async with running_node(tmp_path, group_streams_assignment_interval_ms="0") as node:
        node.controller.create_topic("in", partitions=10)
        client = node.client()
        await client.send(FindCoordinatorRequest(coordinator_keys=["g"]))
        short_slices(node.cluster.steps)
        client.start(_join())
        client.start(_heartbeat(2))

        joined, next_one = await client.receive(), await client.receive()

        [status] = joined.status
        assert status.status_detail == "Internal topics are missing: first, second"
        assert (next_one.error_code, next_one.member_epoch, next_one.status) == (0, 3, [])


async def test_topics_are_not_created_twice(tmp_path: Path) -> None:
    """Another member heartbeats before the node has applied the first topics."""
    async with running_node(tmp_path, group_streams_assignment_interval_ms="0") as node:
        node.controller.create_topic("in", partitions=10)
        clients = node.client(), node.client()
        await clients[0].send(FindCoordinatorRequest(coordinator_keys=["g"]))
        short_slices(node.cluster.steps)
        for client, member_id in zip(clients * 2, "abab", strict=True):
            client.start(_join(member_id))

        for client in clients * 2:
            statuses = (await client.receive()).status
            assert not any("failed" in each.status_detail for each in statuses)
