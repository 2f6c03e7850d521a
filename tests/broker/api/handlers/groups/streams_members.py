"""Heartbeats of members of the streams group g, whose topology reads the topic t."""

from __future__ import annotations

from typing import Any

from broker.api.handlers.groups.streams_group_heartbeat import streams_group_heartbeat
from protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TopicInfo,
    Topology,
)
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call


def topology(*subtopologies: Subtopology, epoch: int = 0) -> Topology:
    """A topology of these subtopologies."""
    return Topology(epoch=epoch, subtopologies=list(subtopologies))


def reading(*topics: str, logs: tuple[str, ...] = (), **fields: Any) -> Subtopology:
    """The subtopology 0, which reads topics and has changelogs."""
    return Subtopology(
        subtopology_id="0",
        source_topics=list(topics),
        state_changelog_topics=[TopicInfo(name=each) for each in logs],
        **fields,
    )


def join(member_id: str = "m", **fields: Any) -> StreamsGroupHeartbeatRequest:
    """A member joins."""
    values: dict[str, Any] = {
        "group_id": "g",
        "member_id": member_id,
        "member_epoch": 0,
        "rebalance_timeout_ms": 60_000,
        "topology": topology(reading("t")),
        "active_tasks": [],
        "standby_tasks": [],
        "warmup_tasks": [],
        "process_id": f"process of {member_id}",
    }
    return StreamsGroupHeartbeatRequest(**values | fields)


def beat(epoch: int, member_id: str = "m", **fields: Any) -> StreamsGroupHeartbeatRequest:
    """A heartbeat of a member in an epoch."""
    return StreamsGroupHeartbeatRequest(
        group_id="g", member_id=member_id, member_epoch=epoch, **fields
    )


def sent(node: GroupServices, body: StreamsGroupHeartbeatRequest) -> Any:
    """The response of a node; None if the request waits."""
    return call(streams_group_heartbeat, GroupRequest(node, body, 0))
