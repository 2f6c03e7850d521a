"""ShareGroupHeartbeat: a member joins, stays or leaves, and gets its assignment (KIP-932).

Behaviour: the response is sent at once, unless this heartbeat or an earlier request wrote records
that are not replicated yet. A partition is assigned after its state was initialized at the share
coordinator, so the first response has no partitions of a topic that the group has not had before.
Errors have a message.

Versions: only 1.

Deviations: a topic that has been deleted changes the group epoch.
"""

from __future__ import annotations

from broker.api.authorization.check import DESCRIBE_TOPIC, READ_GROUP
from broker.api.authorization.checks import require
from broker.api.handlers.groups.replicated import when_replicated
from broker.api.handlers.request_checks import require_share_groups
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.group_coordinator_service import GroupCoordinatorService
from broker.groups.share.long_heartbeats import LongShareHeartbeat
from broker.groups.share.requests import (
    LEAVING_EPOCH,
    ShareGroupHeartbeat,
    ShareGroupHeartbeatResult,
)
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from protocol.messages.share_group_heartbeat import (
    Assignment,
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)

_MEMBER_ID_LENGTH_MAX = 36


_Result = ShareGroupHeartbeatResponse | Outcome


def share_group_heartbeat(
    request: Request[ShareGroupHeartbeatRequest],
) -> _Result | Slices[_Result]:
    """Process a heartbeat; the names of many topics are checked in slices.

    The changes by them are computed in a worker thread.
    """
    require_share_groups(request)
    body = request.body
    require(request, READ_GROUP, body.group_id)
    if not 0 < len(body.member_id) <= _MEMBER_ID_LENGTH_MAX:
        return _refusal(ErrorCode.INVALID_REQUEST)
    slices = _heartbeat(request)
    return slices if len(body.subscribed_topic_names or ()) > ITEMS_AT_ONCE else finish(slices)


def _heartbeat(request: Request[ShareGroupHeartbeatRequest]) -> Slices[_Result]:
    body = request.body
    for name in body.subscribed_topic_names or ():
        require(request, DESCRIBE_TOPIC, name)
        yield None
    names = body.subscribed_topic_names
    heartbeat = ShareGroupHeartbeat(
        group_id=body.group_id,
        member_id=body.member_id,
        member_epoch=body.member_epoch,
        rack_id=body.rack_id,
        client_id=request.client_id or "",
        client_host=f"/{request.client_host}",
        subscribed_topic_names=None if names is None else frozenset(names),
    )
    try:
        result = yield from _handle(request.services.groups, heartbeat)
    except ApiError as error:
        return _refusal(error.code, error.message)
    return when_replicated(request, body.group_id, _response(result), _refusal)


def _handle(
    groups: GroupCoordinatorService, heartbeat: ShareGroupHeartbeat
) -> Slices[ShareGroupHeartbeatResult]:
    """Handle a heartbeat, in a worker thread if it names many topics; raises `ApiError`."""
    is_long = len(heartbeat.subscribed_topic_names or ()) > ITEMS_AT_ONCE
    if is_long and heartbeat.member_epoch != LEAVING_EPOCH:
        return (yield from groups.changes.run(LongShareHeartbeat(groups.share, heartbeat)))
    return groups.share.heartbeat(heartbeat)


def _response(result: ShareGroupHeartbeatResult) -> ShareGroupHeartbeatResponse:
    assignment = None
    if result.assigned is not None:
        assignment = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=topic_id, partitions=list(partitions))
                for topic_id, partitions in result.assigned.items()
            ]
        )
    return ShareGroupHeartbeatResponse(
        member_id=result.member_id,
        member_epoch=result.member_epoch,
        heartbeat_interval_ms=result.heartbeat_interval_ms,
        assignment=assignment,
    )


def _refusal(error: ErrorCode, message: str | None = None) -> ShareGroupHeartbeatResponse:
    return ShareGroupHeartbeatResponse(error_code=error, error_message=message)
