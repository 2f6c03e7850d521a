"""Short functions for requests about streams groups and for their topologies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from protocol.messages.streams_group_heartbeat import (
    CopartitionGroup,
    Endpoint,
    KeyValue,
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TaskIds,
    TopicInfo,
    Topology,
)

REBALANCE_MS = 30_000
Tasks = Mapping[str, Sequence[int]]
NONE: Tasks = {}


def streams_join(
    group: str, member: str, sent: Topology | None, **fields: Any
) -> StreamsGroupHeartbeatRequest:
    """StreamsGroupHeartbeat of a member that joins; a process of its own unless it is given."""
    values: dict[str, Any] = {
        "rebalance_timeout_ms": REBALANCE_MS,
        "active_tasks": [],
        "standby_tasks": [],
        "warmup_tasks": [],
        "process_id": f"process of {member}",
        "client_tags": [],
    }
    return streams_heartbeat(group, member, 0, topology=sent, **(values | fields))


def streams_heartbeat(
    group: str, member: str, epoch: int, **fields: Any
) -> StreamsGroupHeartbeatRequest:
    """StreamsGroupHeartbeat of a member that stays, or leaves (epoch -1)."""
    return StreamsGroupHeartbeatRequest(
        group_id=group, member_id=member, member_epoch=epoch, **fields
    )


def owned(active: Tasks = NONE, standby: Tasks = NONE) -> dict[str, list[TaskIds]]:
    """The fields of a heartbeat with the tasks that a member has."""
    return {"active_tasks": tasks(active), "standby_tasks": tasks(standby), "warmup_tasks": []}


def tasks(partitions: Tasks) -> list[TaskIds]:
    """Tasks by the ids of their subtopologies."""
    return [TaskIds(subtopology_id=name, partitions=list(ids)) for name, ids in partitions.items()]


def topology(*subtopologies: Subtopology, epoch: int = 0) -> Topology:
    """A topology."""
    return Topology(epoch=epoch, subtopologies=list(subtopologies))


def subtopology(
    name: str,
    *sources: str,
    regexes: Sequence[str] = (),
    changelogs: Sequence[str | TopicInfo] = (),
    sinks: Sequence[str] = (),
    repartition: Sequence[str | TopicInfo] = (),
    copartition: Sequence[CopartitionGroup] = (),
) -> Subtopology:
    """A subtopology with its source topics, and repartition topics that it writes and reads."""
    return Subtopology(
        subtopology_id=name,
        source_topics=list(sources),
        source_topic_regex=list(regexes),
        state_changelog_topics=list(map(_internal, changelogs)),
        repartition_sink_topics=list(sinks),
        repartition_source_topics=list(map(_internal, repartition)),
        copartition_groups=list(copartition),
    )


def internal(name: str, partitions: int = 0, replication: int = 0, **configs: str) -> TopicInfo:
    """A repartition topic or a changelog; in *configs*, write `_` for `.`."""
    return TopicInfo(
        name=name,
        partitions=partitions,
        replication_factor=replication,
        topic_configs=[
            KeyValue(key=key.replace("_", "."), value=value) for key, value in configs.items()
        ],
    )


def copartitioned(
    sources: Sequence[int] = (), repartition: Sequence[int] = (), regexes: Sequence[int] = ()
) -> CopartitionGroup:
    """A copartition group, by indices of topics."""
    return CopartitionGroup(
        source_topics=list(sources),
        source_topic_regex=list(regexes),
        repartition_source_topics=list(repartition),
    )


def endpoint(host: str, port: int = 1) -> Endpoint:
    """The address of a member for interactive queries."""
    return Endpoint(host=host, port=port)


def tags(*pairs: tuple[str, str]) -> list[KeyValue]:
    """Client tags, which may have a key twice."""
    return [KeyValue(key=key, value=value) for key, value in pairs]


def describe_streams(*groups: str, operations: bool = False) -> StreamsGroupDescribeRequest:
    """StreamsGroupDescribe."""
    return StreamsGroupDescribeRequest(
        group_ids=list(groups), include_authorized_operations=operations
    )


def delete_offsets(group: str, topic: str, *partitions: int) -> OffsetDeleteRequest:
    """OffsetDelete of partitions of a topic."""
    deleted = [OffsetDeleteRequestPartition(partition_index=each) for each in partitions]
    return OffsetDeleteRequest(
        group_id=group, topics=[OffsetDeleteRequestTopic(name=topic, partitions=deleted)]
    )


def _internal(topic: str | TopicInfo) -> TopicInfo:
    return TopicInfo(name=topic) if isinstance(topic, str) else topic
