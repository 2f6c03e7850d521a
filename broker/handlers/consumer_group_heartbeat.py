"""ConsumerGroupHeartbeat: a member joins, stays or leaves, and is told what it may read (KIP-848).

Behaviour: answered at once, unless something that was written before, or by this, is not replicated
yet. Errors come with a message.

Versions: 1 regular expressions, and members choose their own ids (KIP-1082).
"""

from __future__ import annotations

from functools import partial

from broker.errors import ApiError
from broker.groups.consumer.member import OwnedPartitions
from broker.groups.consumer.requests import ConsumerGroupHeartbeat, ConsumerGroupHeartbeatResult
from broker.groups.consumer.subscriptions import PARSED_AT_ONCE_MAX, regex_error
from broker.handlers.replicated import when_replicated
from broker.request import Request
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)


def consumer_group_heartbeat(request: Request[ConsumerGroupHeartbeatRequest]) -> object | None:
    """Take in what a member says; a long regular expression is read in a thread first."""
    regex = request.body.subscribed_topic_regex
    if regex is not None and len(regex) > PARSED_AT_ONCE_MAX:
        request.offload(partial(regex_error, regex), lambda _: _heartbeat(request))
        return None
    return _heartbeat(request)


def _heartbeat(request: Request[ConsumerGroupHeartbeatRequest]) -> object | None:
    body = request.body
    names, owned = body.subscribed_topic_names, body.topic_partitions
    heartbeat = ConsumerGroupHeartbeat(
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
    try:
        result = request.node.groups.consumers.heartbeat(heartbeat, request.version)
    except ApiError as error:
        return _refusal(error.code, error.message)
    return when_replicated(request, body.group_id, _response(result), _refusal)


def _response(result: ConsumerGroupHeartbeatResult) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(
        member_id=result.member_id,
        member_epoch=result.member_epoch,
        heartbeat_interval_ms=result.heartbeat_interval_ms,
        assignment=None if result.assigned is None else _assignment(result.assigned),
    )


def _assignment(assigned: OwnedPartitions) -> Assignment:
    return Assignment(
        topic_partitions=[
            TopicPartitions(topic_id=topic_id, partitions=sorted(partitions))
            for topic_id, partitions in assigned.items()
        ]
    )


def _refusal(error: ErrorCode, message: str | None = None) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(error_code=error, error_message=message)
