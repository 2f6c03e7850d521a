"""Computes what a heartbeat changes: the member, the topology, the epoch and the assignments.

The order of the steps is that of ``GroupMetadataManager.streamsGroupHeartbeat``. Each of them sees
the group as it was before the request in ``draft.before``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from broker.common.errors import ApiError
from broker.config.groups import STREAMS_NUM_STANDBY_REPLICAS
from broker.groups.epochs import next_epoch
from broker.groups.group_parts import GroupParts
from broker.groups.streams.admission import admit, with_changes
from broker.groups.streams.configuration import (
    Configuration,
    TopicComparison,
    check_owned,
    update_topology,
)
from broker.groups.streams.current_assignment import CurrentAssignmentBuilder
from broker.groups.streams.draft import StreamsDraft
from broker.groups.streams.member import Endpoint, StreamsGroupMember
from broker.groups.streams.requests import EndpointPartitions, StreamsGroupHeartbeat
from broker.groups.streams.statuses import Status, StatusCode
from broker.groups.streams.target_assignment import NUM_STANDBY_REPLICAS, TargetAssignments
from broker.groups.streams.tasks import EMPTY, Tasks, TasksWithEpochs
from broker.groups.streams.timeouts import StreamsTimeouts
from broker.groups.streams.topics.configured import ConfiguredInternalTopic, ConfiguredTopology
from broker.groups.streams.topics.endpoint_to_partitions import topic_partitions
from protocol.errors import ErrorCode


class PreparedHeartbeat(NamedTuple):
    """The changes by a heartbeat to its group, as a draft, and its member before and after them.

    ``begins_delay``: the initial delay of the group begins. ``has_assignment``: the response
    contains the assignment. ``endpoints`` is None if the member knows them. With an ``error`` the
    heartbeat fails, but what it changes in memory only remains changed, as in Kafka.
    """

    draft: StreamsDraft
    before: StreamsGroupMember
    member: StreamsGroupMember
    begins_delay: bool
    has_assignment: bool
    statuses: Sequence[Status]
    endpoints: Sequence[EndpointPartitions] | None
    error: ApiError | None
    missing_topics: Sequence[ConfiguredInternalTopic]


class HeartbeatPreparation:
    """Prepares the changes by heartbeats; it changes no group, so it may run in a thread."""

    def __init__(self, parts: GroupParts, timeouts: StreamsTimeouts) -> None:
        self._config = parts.config
        self._configs = parts.configs
        self._timeouts = timeouts
        self._comparison = TopicComparison(parts.topics)
        self.targets = TargetAssignments(parts.clock, parts.configs)

    def prepare(self, draft: StreamsDraft, request: StreamsGroupHeartbeat) -> PreparedHeartbeat:
        """Return the changes by a heartbeat of a member that does not leave; raises `ApiError`."""
        before = admit(draft.before, request, self._config.group_streams_max_size)
        after = with_changes(before, request)
        if after != before:
            draft.write_metadata(after)
        topology = update_topology(draft, request.topology)
        statuses = _stale_status(draft, after)
        configuration = self._comparison.update(draft, topology)
        configured = configuration.topology
        check_owned(configured, request.owned)
        self._update_epoch(draft, configuration, has_member_changed=after != before)
        begins_delay = draft.before.is_empty and self._timeouts.initial_delay_ms(draft.group_id) > 0
        epoch, target = self._target(draft, after, configured, statuses, is_delayed=begins_delay)
        member = _reconcile(draft, after, epoch, target, request)
        if request.shutdown_application:
            draft.request_shutdown(member.member_id)
        has_assignment = request.is_joining or member.current.assigned != before.current.assigned
        if has_assignment and member.user_endpoint is not None:
            draft.change_endpoints()
        endpoints, error = None, None
        try:
            endpoints = self._endpoints(draft, member, request)
        except ApiError as raised:
            error = raised
        return PreparedHeartbeat(
            draft=draft,
            before=before,
            member=member,
            begins_delay=begins_delay,
            has_assignment=has_assignment,
            statuses=[*statuses, *_problems(draft, configured)],
            endpoints=endpoints,
            error=error,
            missing_topics=list(configured.internal_topics_to_create.values()),
        )

    def _update_epoch(
        self, draft: StreamsDraft, configuration: Configuration, *, has_member_changed: bool
    ) -> None:
        """Increase the group epoch if the assignment may have to change."""
        group = draft.group
        metadata_hash, validated = configuration.metadata_hash, configuration.validated_epoch
        standby = self._configs.number(group.group_id, STREAMS_NUM_STANDBY_REPLICAS)
        configs = {NUM_STANDBY_REPLICAS: str(standby)}
        if (
            has_member_changed
            or metadata_hash != group.metadata_hash
            or validated != group.validated_topology_epoch
            or configs != group.assignment_configs
        ):
            draft.write_epoch(next_epoch(group.epoch), metadata_hash, validated, configs)

    def _target(
        self,
        draft: StreamsDraft,
        member: StreamsGroupMember,
        configured: ConfiguredTopology,
        statuses: list[Status],
        *,
        is_delayed: bool,
    ) -> tuple[int, Tasks]:
        """The epoch and the target of a member; a delay is added to *statuses*."""
        group = draft.group
        if is_delayed or self._timeouts.is_delayed(group.group_id):
            statuses.append(_delayed("initial rebalance delay"))
            return group.assignment_epoch, EMPTY
        if not self.targets.update(draft, configured):
            statuses.append(_delayed("assignment interval"))
        return group.assignment_epoch, group.target.get(member.member_id, EMPTY)

    def _endpoints(
        self, draft: StreamsDraft, member: StreamsGroupMember, request: StreamsGroupHeartbeat
    ) -> list[EndpointPartitions] | None:
        """The endpoints of all members with their partitions; that of the member is the last.

        Raises `ApiError` if their topics are missing or wrong, as in Kafka.
        """
        group = draft.group
        if group.endpoint_information_epoch == request.endpoint_information_epoch:
            return None
        others = [each for each in group.members.values() if each.member_id != member.member_id]
        return [
            self._endpoint(each.user_endpoint, each.current.assigned, group.configured)
            for each in (*others, member)
            if each.user_endpoint is not None
        ]

    def _endpoint(
        self, endpoint: Endpoint, assigned: TasksWithEpochs, configured: ConfiguredTopology | None
    ) -> EndpointPartitions:
        if configured is None or configured.subtopologies is None:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        active, standby = (
            topic_partitions(tasks, configured.subtopologies, self._comparison.partition_count)
            for tasks in (assigned.active, assigned.standby)
        )
        return EndpointPartitions(endpoint, active, standby)


def _reconcile(
    draft: StreamsDraft,
    member: StreamsGroupMember,
    target_epoch: int,
    target: Tasks,
    request: StreamsGroupHeartbeat,
) -> StreamsGroupMember:
    """Reconcile a member with its target as far as possible now; returns the member."""
    owners = draft.before.owners
    current = CurrentAssignmentBuilder(
        process_id=member.process_id,
        target_epoch=target_epoch,
        target=target,
        owned=request.owned.tasks(),
        active_process_of=owners.active,
        standby_processes_of=owners.standby,
        warmup_processes_of=owners.warmup,
    ).build(member.current)
    if current == member.current:
        return member
    reconciled = replace(member, current=current)
    draft.write_assignment(reconciled)
    return reconciled


def _stale_status(draft: StreamsDraft, member: StreamsGroupMember) -> list[Status]:
    topology = draft.before.topology
    if topology is None or member.topology_epoch >= topology.epoch:
        return []
    detail = (
        f"The member's topology epoch {member.topology_epoch} is behind the group's topology "
        f"epoch {topology.epoch}."
    )
    return [Status(StatusCode.STALE_TOPOLOGY, detail)]


def _delayed(what: str) -> Status:
    detail = f"Assignment delayed due to the configured {what}."
    return Status(StatusCode.ASSIGNMENT_DELAYED, detail)


def _problems(draft: StreamsDraft, configured: ConfiguredTopology) -> list[Status]:
    """What is wrong with topics, and a requested shutdown."""
    statuses = []
    if configured.error is not None:
        statuses.append(Status(configured.error.status, configured.error.message))
    member_id = draft.group.shutdown_member_id
    if member_id is not None:
        detail = (
            f"Streams group member {member_id} encountered a fatal error and requested a shutdown "
            "for the entire application."
        )
        statuses.append(Status(StatusCode.SHUTDOWN_APPLICATION, detail))
    return statuses
