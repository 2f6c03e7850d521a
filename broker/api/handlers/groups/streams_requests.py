"""Reads a StreamsGroupHeartbeat, and checks the topics that its topology names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from broker.api.authorization.check import DESCRIBE_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.controller.metadata.image import INTERNAL_TOPICS
from broker.controller.metadata.topic_names import is_valid_topic_name
from broker.groups.streams.member import Endpoint
from broker.groups.streams.requests import OwnedTasks, StreamsGroupHeartbeat
from broker.groups.streams.requests import TaskIds as OwnedTaskIds
from broker.groups.streams.topology import (
    CopartitionGroup,
    InternalTopic,
    StreamsTopology,
    Subtopology,
)
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages import streams_group_describe as described
from protocol.messages import streams_group_heartbeat as messages


def read_heartbeat(
    request: Request[messages.StreamsGroupHeartbeatRequest],
) -> StreamsGroupHeartbeat:
    """Return the heartbeat as its coordinator handles it."""
    body, endpoint = request.body, request.body.user_endpoint
    return StreamsGroupHeartbeat(
        group_id=body.group_id,
        member_id=body.member_id,
        member_epoch=body.member_epoch,
        endpoint_information_epoch=body.endpoint_information_epoch,
        instance_id=body.instance_id,
        rack_id=body.rack_id,
        client_id=request.client_id or "",
        client_host=f"/{request.client_host}",
        rebalance_timeout_ms=body.rebalance_timeout_ms,
        topology=None if body.topology is None else _topology(body.topology),
        owned=OwnedTasks(
            active=_tasks(body.active_tasks),
            standby=_tasks(body.standby_tasks),
            warmup=_tasks(body.warmup_tasks),
        ),
        process_id=body.process_id,
        user_endpoint=None if endpoint is None else Endpoint(endpoint.host, endpoint.port),
        client_tags=(
            None if body.client_tags is None else [(tag.key, tag.value) for tag in body.client_tags]
        ),
        has_task_offsets=body.task_offsets is not None,
        has_task_end_offsets=body.task_end_offsets is not None,
        shutdown_application=body.shutdown_application,
    )


def topic_names(
    subtopologies: Iterable[messages.Subtopology | described.Subtopology],
) -> Iterable[str]:
    """The topics that subtopologies name, in the order of Kafka's checks."""
    for each in subtopologies:
        yield from each.source_topics
        yield from each.repartition_sink_topics
        yield from (topic.name for topic in each.repartition_source_topics)
        yield from (topic.name for topic in each.state_changelog_topics)


def check_topics(
    request: Request[messages.StreamsGroupHeartbeatRequest], topology: messages.Topology
) -> Slices[None]:
    """Raise `ApiError` unless the client may use the topics of its topology."""
    names = dict.fromkeys(topic_names(topology.subtopologies))
    _refuse(
        [name for name in names if name in INTERNAL_TOPICS],
        "Use of Kafka internal topics {} in a Kafka Streams topology is prohibited.",
    )
    invalid = []
    for name in names:
        if not is_valid_topic_name(name):
            invalid.append(name)
        yield None
    _refuse(invalid, "Topic names {} are not valid topic names.")
    if (yield from unauthorized(request, DESCRIBE_TOPIC, names)):
        raise ApiError(DESCRIBE_TOPIC.error_code)


def _refuse(names: Collection[str], message: str) -> None:
    if names:
        raise ApiError(ErrorCode.STREAMS_INVALID_TOPOLOGY, message.format(",".join(names)))


def _topology(topology: messages.Topology) -> StreamsTopology:
    subtopologies = tuple(map(_subtopology, topology.subtopologies))
    return StreamsTopology(epoch=topology.epoch, subtopologies=subtopologies)


def _subtopology(subtopology: messages.Subtopology) -> Subtopology:
    return Subtopology(
        subtopology_id=subtopology.subtopology_id,
        source_topics=tuple(subtopology.source_topics),
        source_topic_regex=tuple(subtopology.source_topic_regex),
        state_changelog_topics=tuple(map(_internal_topic, subtopology.state_changelog_topics)),
        repartition_sink_topics=tuple(subtopology.repartition_sink_topics),
        repartition_source_topics=tuple(
            map(_internal_topic, subtopology.repartition_source_topics)
        ),
        copartition_groups=tuple(map(_copartition_group, subtopology.copartition_groups)),
    )


def _internal_topic(topic: messages.TopicInfo) -> InternalTopic:
    return InternalTopic(
        name=topic.name,
        partitions=topic.partitions,
        replication_factor=topic.replication_factor,
        configs=tuple((config.key, config.value) for config in topic.topic_configs),
    )


def _copartition_group(group: messages.CopartitionGroup) -> CopartitionGroup:
    return CopartitionGroup(
        source_topics=tuple(group.source_topics),
        source_topic_regex=tuple(group.source_topic_regex),
        repartition_source_topics=tuple(group.repartition_source_topics),
    )


def _tasks(tasks: Sequence[messages.TaskIds] | None) -> OwnedTaskIds | None:
    return None if tasks is None else [(each.subtopology_id, each.partitions) for each in tasks]
