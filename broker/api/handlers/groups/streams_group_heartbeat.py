"""StreamsGroupHeartbeat: a member joins, stays or leaves, and gets its tasks (KIP-1071).

Behaviour: the response is sent at once, unless this heartbeat or an earlier request wrote records
that are not replicated yet, or it creates internal topics, which the next heartbeat finds. Its
statuses report what prevents or delays the work of the group. Errors have a message.

Versions: only 0.

Deviations: a member that changes its endpoint gets the new one in the response; Kafka may have
stored the former one for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from broker.api.authorization.check import READ_GROUP
from broker.api.authorization.checks import require
from broker.api.handlers.groups.enabled_protocols import require_protocol
from broker.api.handlers.groups.internal_topics import create_internal_topics
from broker.api.handlers.groups.replicated import when_replicated
from broker.api.handlers.groups.streams_requests import check_topics, read_heartbeat
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.java_hash import in_hash_order, string_hash
from broker.groups.group import STREAMS
from broker.groups.streams.long_heartbeats import LongStreamsHeartbeat
from broker.groups.streams.requests import (
    EndpointPartitions,
    StreamsGroupHeartbeatResult,
)
from broker.groups.streams.statuses import StatusCode
from broker.groups.streams.topics.endpoint_to_partitions import TopicPartitions
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.streams_group_heartbeat import (
    Endpoint,
    EndpointToPartitions,
    Status,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    TaskIds,
    TopicPartition,
)

# A topic whose creation has failed is created again after this number of heartbeats.
_HEARTBEATS_BEFORE_RETRY = 2


def streams_group_heartbeat(
    request: Request[StreamsGroupHeartbeatRequest],
) -> Slices[StreamsGroupHeartbeatResponse | Outcome]:
    """Process a heartbeat."""
    require_protocol(request, STREAMS)
    groups, topology = request.services.groups, request.body.topology
    require(request, READ_GROUP, request.body.group_id)
    try:
        if topology is not None:
            yield from check_topics(request, topology)
        heartbeat = read_heartbeat(request)
        if groups.streams.is_long(heartbeat):
            result = yield from groups.changes.run(LongStreamsHeartbeat(groups.streams, heartbeat))
        else:
            result = groups.streams.heartbeat(heartbeat)
    except ApiError as error:
        return _refusal(error.code, error.message)
    response = _response(result)
    if result.missing_topics:
        retry_ms = _HEARTBEATS_BEFORE_RETRY * result.heartbeat_interval_ms
        addition = yield from create_internal_topics(request, result.missing_topics, retry_ms)
        for status in response.status or ():
            if status.status_code == StatusCode.MISSING_INTERNAL_TOPICS:
                status.status_detail += addition
    return when_replicated(request, heartbeat.group_id, response, _refusal)


def _response(result: StreamsGroupHeartbeatResult) -> StreamsGroupHeartbeatResponse:
    assigned, endpoints = result.assigned, result.endpoints
    response = StreamsGroupHeartbeatResponse(
        member_id=result.member_id,
        member_epoch=result.member_epoch,
        heartbeat_interval_ms=result.heartbeat_interval_ms,
        status=[
            Status(status_code=each.code, status_detail=each.detail) for each in result.statuses
        ],
        endpoint_information_epoch=result.endpoint_information_epoch,
        partitions_by_user_endpoint=None if endpoints is None else list(map(_endpoint, endpoints)),
    )
    if assigned is not None:
        response.active_tasks = _task_ids(assigned.active)
        response.standby_tasks = _task_ids(assigned.standby)
        response.warmup_tasks = _task_ids(assigned.warmup)
    return response


def _task_ids(tasks: Mapping[str, Collection[int]]) -> list[TaskIds]:
    return [
        TaskIds(subtopology_id=subtopology_id, partitions=sorted(tasks[subtopology_id]))
        for subtopology_id in in_hash_order(sorted(tasks), string_hash)
    ]


def _endpoint(endpoint: EndpointPartitions) -> EndpointToPartitions:
    host, port = endpoint.endpoint
    return EndpointToPartitions(
        user_endpoint=Endpoint(host=host, port=port),
        active_partitions=_topic_partitions(endpoint.active),
        standby_partitions=_topic_partitions(endpoint.standby),
    )


def _topic_partitions(partitions: TopicPartitions) -> list[TopicPartition]:
    return [TopicPartition(topic=topic, partitions=list(each)) for topic, each in partitions]


def _refusal(error: ErrorCode, message: str | None = None) -> StreamsGroupHeartbeatResponse:
    return StreamsGroupHeartbeatResponse(error_code=error, error_message=message)
