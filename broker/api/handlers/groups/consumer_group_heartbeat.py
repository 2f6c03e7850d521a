"""ConsumerGroupHeartbeat: a member joins, stays or leaves, and gets its assignment (KIP-848).

Behaviour: the response is sent at once, unless this heartbeat or an earlier request wrote records
that are not replicated yet. Errors have a message. The topics that match a regular expression are
those that the client whose heartbeat causes the resolution may describe.

Deviation: a member whose regular expression is resolved gets its topics when another one joins with
a new expression; Kafka 4.3 still treats their subscriptions as the same, and the member waits for
the resolution of the other one.

Versions: 1 regular expressions, and member ids that the clients generate (KIP-1082).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from uuid import UUID

from broker.api.authorization.check import DESCRIBE_TOPIC, READ_GROUP
from broker.api.authorization.checks import require
from broker.api.handlers.groups.enabled_protocols import require_protocol
from broker.api.handlers.groups.replicated import when_replicated
from broker.api.handlers.groups.visible_topics import visible_topics
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.consumer.requests import ConsumerGroupHeartbeat, ConsumerGroupHeartbeatResult
from broker.groups.consumer.subscriptions import PARSED_AT_ONCE_MAX, regex_error
from broker.groups.group import CONSUMER
from broker.steps.offloaded import offloaded
from broker.steps.queue import Slices, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)

HeartbeatOutcome = ConsumerGroupHeartbeatResponse | Outcome


def consumer_group_heartbeat(
    request: Request[ConsumerGroupHeartbeatRequest],
) -> HeartbeatOutcome | Slices[HeartbeatOutcome]:
    """Process a heartbeat, in slices if its group is large or its regular expression long."""
    require_protocol(request, CONSUMER)
    heartbeat, long_heartbeats = _read(request), request.services.groups.long_heartbeats
    if request.services.authorizer is not None:
        _authorize(request, heartbeat)
    regex = heartbeat.subscribed_topic_regex
    if (regex is not None and len(regex) > PARSED_AT_ONCE_MAX) or long_heartbeats.is_long(
        heartbeat
    ):
        return _in_slices(request, heartbeat)
    try:
        result = request.services.groups.consumers.heartbeat(heartbeat, request.version)
    except ApiError as error:
        return _refusal(error.code, error.message)
    assigned = None
    if result.assigned is not None:
        assigned = list(map(_topic_partitions, result.assigned.items()))
    return when_replicated(request, heartbeat.group_id, _response(result, assigned), _refusal)


def _authorize(
    request: Request[ConsumerGroupHeartbeatRequest], heartbeat: ConsumerGroupHeartbeat
) -> None:
    """Raise `ApiError` unless the client may read the group and describe the topics it names."""
    require(request, READ_GROUP, heartbeat.group_id)
    for name in heartbeat.subscribed_topic_names or ():
        require(request, DESCRIBE_TOPIC, name)
    heartbeat.is_topic_visible = visible_topics(request)


def _in_slices(
    request: Request[ConsumerGroupHeartbeatRequest], heartbeat: ConsumerGroupHeartbeat
) -> Slices[HeartbeatOutcome]:
    """Process a heartbeat whose parts are long: worker threads and slices do the work."""
    groups, regex = request.services.groups, heartbeat.subscribed_topic_regex
    if regex is not None and len(regex) > PARSED_AT_ONCE_MAX:
        yield from offloaded(request.services.offload, partial(regex_error, regex))
    try:
        if groups.long_heartbeats.is_long(heartbeat):
            result = yield from groups.long_heartbeats.heartbeat(heartbeat, request.version)
        else:
            result = groups.consumers.heartbeat(heartbeat, request.version)
    except ApiError as error:
        return _refusal(error.code, error.message)
    assigned = None
    if result.assigned is not None:
        assigned = yield from map_in_slices(_topic_partitions, result.assigned.items())
    return when_replicated(request, heartbeat.group_id, _response(result, assigned), _refusal)


def _read(request: Request[ConsumerGroupHeartbeatRequest]) -> ConsumerGroupHeartbeat:
    body = request.body
    names, owned = body.subscribed_topic_names, body.topic_partitions
    return ConsumerGroupHeartbeat(
        group_id=body.group_id,
        member_id=body.member_id,
        member_epoch=body.member_epoch,
        instance_id=body.instance_id,
        rack_id=body.rack_id,
        client_id=request.client_id or "",
        client_host=f"/{request.client_host}",
        rebalance_timeout_ms=body.rebalance_timeout_ms,
        subscribed_topic_names=None if names is None else frozenset(names),
        subscribed_topic_regex=body.subscribed_topic_regex,
        server_assignor=body.server_assignor,
        owned=None if owned is None else {each.topic_id: each.partitions for each in owned},
    )


def _response(
    result: ConsumerGroupHeartbeatResult, assigned: list[TopicPartitions] | None
) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(
        member_id=result.member_id,
        member_epoch=result.member_epoch,
        heartbeat_interval_ms=result.heartbeat_interval_ms,
        assignment=None if assigned is None else Assignment(topic_partitions=assigned),
    )


def _topic_partitions(assigned: tuple[UUID, Mapping[int, int]]) -> TopicPartitions:
    topic_id, partitions = assigned
    return TopicPartitions(topic_id=topic_id, partitions=sorted(partitions))


def _refusal(error: ErrorCode, message: str | None = None) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(error_code=error, error_message=message)
