"""Checks of a heartbeat that need no group (``GroupCoordinatorService.streamsGroupHeartbeat``)."""

from __future__ import annotations

from broker.common.errors import ApiError
from broker.groups.streams.requests import LEAVING_STATIC_EPOCH, StreamsGroupHeartbeat
from broker.groups.streams.topology import StreamsTopology
from protocol.errors import ErrorCode

_UNKNOWN_TIMEOUT = -1


def check_heartbeat(request: StreamsGroupHeartbeat) -> None:
    """Raise `ApiError` if the request is invalid; the order of the checks is that of Kafka."""
    _check_features(request)
    _check_ids(request)
    if request.is_joining:
        _check_join(request)
    elif request.member_epoch == LEAVING_STATIC_EPOCH:
        raise _invalid("InstanceId can't be null.")
    elif request.member_epoch < LEAVING_STATIC_EPOCH:
        raise _invalid(
            f"MemberEpoch is {request.member_epoch}, but must be greater than or equal to -2."
        )
    kinds = request.owned.kinds
    if None in kinds and any(each is not None for each in kinds):
        raise _invalid("If one task-type is non-null, all must be non-null.")
    if request.topology is not None and not request.is_joining:
        raise _invalid("Topology can only be provided when (re-)joining.")


def _check_features(request: StreamsGroupHeartbeat) -> None:
    """Refuse what Kafka 4.3 does not support, although the request has fields for it."""
    topology = request.topology
    unsupported = (
        (request.instance_id is not None, "Static membership is not yet supported."),
        (request.has_task_offsets, "TaskOffsets are not supported yet."),
        (request.has_task_end_offsets, "TaskEndOffsets are not supported yet."),
        (bool(request.owned.warmup), "WarmupTasks are not supported yet."),
        (
            topology is not None
            and any(each.source_topic_regex for each in topology.subtopologies),
            "Regular expressions for source topics are not supported yet.",
        ),
    )
    for is_used, message in unsupported:
        if is_used:
            raise _invalid(message)


def _check_ids(request: StreamsGroupHeartbeat) -> None:
    for name, value in (
        ("MemberId", request.member_id),
        ("GroupId", request.group_id),
        ("RackId", request.rack_id),
    ):
        if value is not None and not value.strip():
            raise _invalid(f"{name} can't be empty.")


def _check_join(request: StreamsGroupHeartbeat) -> None:
    if request.rebalance_timeout_ms == _UNKNOWN_TIMEOUT:
        raise _invalid("RebalanceTimeoutMs must be provided in first request.")
    names = ("ActiveTasks", "StandbyTasks", "WarmupTasks")
    for name, tasks in zip(names, request.owned.kinds, strict=True):
        # A kind of tasks that is not reported is refused, too, as in Kafka.
        if tasks is None or tasks:
            raise _invalid(f"{name} must be empty when (re-)joining.")
    if request.topology is None:
        raise _invalid("Topology must be non-null when (re-)joining.")
    _check_topology(request.topology)


def _check_topology(topology: StreamsTopology) -> None:
    for subtopology in topology.subtopologies:
        for topic in subtopology.state_changelog_topics:
            if topic.partitions:
                raise ApiError(
                    ErrorCode.STREAMS_INVALID_TOPOLOGY,
                    f"Changelog topic {topic.name} must have an undefined partition count, but it "
                    f"is set to {topic.partitions}.",
                )


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, message)
