"""Heartbeat: extends a member's session; the response says whether the group is rebalancing.

Behaviour: the response is sent at once, unless records of the group are not replicated yet.

Versions: 3 static members (KIP-345), 4 flexible.
"""

from __future__ import annotations

from broker.api.authorization.check import READ_GROUP
from broker.api.authorization.checks import require
from broker.api.handlers.groups.replicated import when_replicated
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from protocol.errors import ErrorCode
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse


def heartbeat(request: Request[HeartbeatRequest]) -> HeartbeatResponse | Outcome:
    """Extend the member's session."""
    body = request.body
    require(request, READ_GROUP, body.group_id)
    try:
        error = request.services.groups.heartbeat(
            body.group_id, body.member_id, body.group_instance_id, body.generation_id
        )
    except ApiError as refused:
        return _response(refused.code)
    return when_replicated(request, body.group_id, _response(error), _response)


def _response(error: ErrorCode) -> HeartbeatResponse:
    return HeartbeatResponse(error_code=error)
