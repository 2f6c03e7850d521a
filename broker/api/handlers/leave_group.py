"""LeaveGroup: members leave, or an operator removes them.

Behaviour: each member has its own error; the group rebalances once, whatever their number. An
instance id is enough to remove a static member (KIP-345). The response is sent when the change is
replicated.

Versions: up to 2 one member, whose error is the top-level error; 3 many; 5 reasons (KIP-800).
"""

from __future__ import annotations

from broker.api.authorization.check import READ_GROUP
from broker.api.authorization.checks import require
from broker.api.handlers.replicated import when_replicated
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.classic.requests import LeavingMember
from protocol.errors import ErrorCode
from protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberResponse

_MANY_MEMBERS_SINCE = 3


def leave_group(request: Request[LeaveGroupRequest]) -> LeaveGroupResponse | Outcome:
    """Remove each member."""
    body = request.body
    require(request, READ_GROUP, body.group_id)
    many = request.version >= _MANY_MEMBERS_SINCE
    leaving = (
        [
            LeavingMember(
                member_id=each.member_id,
                group_instance_id=each.group_instance_id,
                reason=each.reason,
            )
            for each in body.members
        ]
        if many
        else [LeavingMember(member_id=body.member_id)]
    )
    try:
        errors = request.services.groups.leave_group(body.group_id, leaving)
    except ApiError as error:
        return _refusal(error.code)
    if many:
        members = [
            MemberResponse(
                member_id=each.member_id,
                group_instance_id=each.group_instance_id,
                error_code=error,
            )
            for each, error in zip(leaving, errors, strict=True)
        ]
        response = LeaveGroupResponse(members=members)
    else:
        response = LeaveGroupResponse(error_code=errors[0], members=[])
    return when_replicated(request, body.group_id, response, _refusal)


def _refusal(error: ErrorCode) -> LeaveGroupResponse:
    return LeaveGroupResponse(error_code=error, members=[])
