"""StreamsGroupDescribe: the topology, members and tasks of streams groups (KIP-1071).

Behaviour: see `broker.api.handlers.groups.described_groups`. The internal topics have the numbers
of partitions that the coordinator has determined, if it has. Members are in the order of Kafka's
hash table.

Versions: only 0.

Deviations: the response contains state that has been written but not replicated; Kafka describes
the last replicated state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from broker.api.handlers.groups.described_groups import described_groups
from broker.api.handlers.groups.enabled_protocols import require_protocol
from broker.api.handlers.groups.streams_requests import topic_names
from broker.api.request import Request
from broker.common.java_hash import in_timeline_order, string_hash
from broker.groups.group import STREAMS
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.streams.tasks import EMPTY, Tasks, TasksWithEpochs
from broker.groups.streams.topics.configured import ConfiguredInternalTopic
from broker.groups.streams.topology import InternalTopic
from broker.steps.queue import Slices
from protocol.messages.streams_group_describe import (
    Assignment,
    DescribedGroup,
    Endpoint,
    KeyValue,
    Member,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
    Subtopology,
    TaskIds,
    TopicInfo,
    Topology,
)

_HAS_HIDDEN_TOPICS = (
    "The described group uses topics that the client is not authorized to describe."
)


def streams_group_describe(
    request: Request[StreamsGroupDescribeRequest],
) -> Slices[StreamsGroupDescribeResponse]:
    """Describe each group."""
    require_protocol(request, STREAMS)
    groups = yield from described_groups(
        request,
        request.services.groups.streams.group,
        _group,
        DescribedGroup,
        _topic_names,
        _HAS_HIDDEN_TOPICS,
    )
    return StreamsGroupDescribeResponse(groups=groups)


def _group(group: StreamsGroup) -> Slices[DescribedGroup]:
    members = []
    for member_id in in_timeline_order(group.members, string_hash):
        member = group.members[member_id]
        members.append(_member(member, group.target.get(member.member_id, EMPTY)))
        yield None
    return DescribedGroup(
        group_id=group.group_id,
        group_state=group.state_name,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        topology=_topology(group),
        members=members,
    )


def _topic_names(group: DescribedGroup) -> Iterable[str]:
    """The topics of a described topology, which the client has to be allowed to describe."""
    return () if group.topology is None else topic_names(group.topology.subtopologies or ())


# --------------------------------------------------------------------------------- the topology


def _topology(group: StreamsGroup) -> Topology | None:
    """The topology with the internal topics as they are created, if it is configured."""
    topology, configured = group.topology, group.configured
    if configured is not None and configured.is_ready:
        assert configured.subtopologies is not None, "a topology that is ready has subtopologies"
        subtopologies = [
            _subtopology(
                subtopology_id,
                each.source_topics,
                each.repartition_sink_topics,
                map(_configured_topic, each.state_changelog_topics.values()),
                map(_configured_topic, each.repartition_source_topics.values()),
            )
            for subtopology_id, each in configured.subtopologies.items()
        ]
        return Topology(epoch=configured.epoch, subtopologies=subtopologies)
    if topology is None:
        return None
    return Topology(
        epoch=topology.epoch,
        subtopologies=[
            _subtopology(
                subtopology_id,
                each.source_topics,
                each.repartition_sink_topics,
                map(_topic, each.state_changelog_topics),
                map(_topic, each.repartition_source_topics),
            )
            for subtopology_id, each in sorted(topology.by_id.items())
        ],
    )


def _subtopology(
    subtopology_id: str,
    source_topics: Iterable[str],
    repartition_sink_topics: Iterable[str],
    state_changelog_topics: Iterable[TopicInfo],
    repartition_source_topics: Iterable[TopicInfo],
) -> Subtopology:
    return Subtopology(
        subtopology_id=subtopology_id,
        source_topics=sorted(source_topics),
        repartition_sink_topics=sorted(repartition_sink_topics),
        state_changelog_topics=sorted(state_changelog_topics, key=_name),
        repartition_source_topics=sorted(repartition_source_topics, key=_name),
    )


def _name(topic: TopicInfo) -> str:
    return topic.name


def _configured_topic(topic: ConfiguredInternalTopic) -> TopicInfo:
    return _topic_info(topic.name, topic.partitions, topic.replication_factor or 0, topic.configs)


def _topic(topic: InternalTopic) -> TopicInfo:
    return _topic_info(topic.name, topic.partitions, topic.replication_factor, topic.configs)


def _topic_info(
    name: str, partitions: int, replication_factor: int, configs: Iterable[tuple[str, str]]
) -> TopicInfo:
    return TopicInfo(
        name=name,
        partitions=partitions,
        replication_factor=replication_factor,
        topic_configs=[KeyValue(key=key, value=value) for key, value in configs],
    )


# ---------------------------------------------------------------------------------- the members


def _member(member: StreamsGroupMember, target: Tasks) -> Member:
    endpoint, tags = member.user_endpoint, member.client_tags
    return Member(
        member_id=member.member_id,
        member_epoch=member.member_epoch,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        topology_epoch=member.topology_epoch,
        process_id=member.process_id,
        user_endpoint=(
            None if endpoint is None else Endpoint(host=endpoint.host, port=endpoint.port)
        ),
        client_tags=[KeyValue(key=key, value=value) for key, value in tags.items()],
        task_offsets=[],
        task_end_offsets=[],
        assignment=_assignment(member.current.assigned),
        target_assignment=_assignment(target),
    )


def _assignment(tasks: Tasks | TasksWithEpochs) -> Assignment:
    return Assignment(
        active_tasks=_task_ids(tasks.active),
        standby_tasks=_task_ids(tasks.standby),
        warmup_tasks=_task_ids(tasks.warmup),
    )


def _task_ids(tasks: Mapping[str, Collection[int]]) -> list[TaskIds]:
    return [
        TaskIds(subtopology_id=subtopology_id, partitions=sorted(tasks[subtopology_id]))
        for subtopology_id in sorted(tasks)
    ]
