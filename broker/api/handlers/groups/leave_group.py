"""LeaveGroup: members leave, or an operator removes them.

Behaviour: each member has its own error; the group rebalances once, whatever their number. An
instance id is enough to remove a static member (KIP-345). The response is sent when the change is
replicated.

Versions: up to 2 one member, whose error is the top-level error; 3 many; 5 reasons (KIP-800).
"""

from __future__ import annotations

from broker.api.authorization.check import READ_GROUP
from broker.api.authorization.checks import require
from broker.api.handlers.groups.replicated import when_replicated
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.classic.requests import LeavingMember
from broker.steps.queue import Slices, finish, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
    MemberResponse,
)

_MANY_MEMBERS_SINCE = 3

_Result = LeaveGroupResponse | Outcome


def leave_group(request: Request[LeaveGroupRequest]) -> _Result | Slices[_Result]:
    """Remove each member; many are checked in slices."""
    body = request.body
    require(request, READ_GROUP, body.group_id)
    if request.version < _MANY_MEMBERS_SINCE:
        return _leave_one(request)
    slices = _leave_many(request)
    return slices if len(body.members) > ITEMS_AT_ONCE else finish(slices)


def _leave_one(request: Request[LeaveGroupRequest]) -> _Result:
    group_id, member = request.body.group_id, LeavingMember(member_id=request.body.member_id)
    try:
        (error,) = request.services.groups.departures.leave(group_id, [member])
    except ApiError as refused:
        return _refusal(refused.code)
    response = LeaveGroupResponse(error_code=error, members=[])
    return when_replicated(request, group_id, response, _refusal)


def _leave_many(request: Request[LeaveGroupRequest]) -> Slices[_Result]:
    group_id, members = request.body.group_id, request.body.members
    leaving = yield from map_in_slices(_leaving, members)
    try:
        errors = yield from request.services.groups.departures.leave_in_slices(group_id, leaving)
    except ApiError as error:
        return _refusal(error.code)
    responses = yield from map_in_slices(_response, zip(members, errors, strict=True))
    response = LeaveGroupResponse(members=responses)
    return when_replicated(request, group_id, response, _refusal)


def _leaving(member: MemberIdentity) -> LeavingMember:
    return LeavingMember(
        member_id=member.member_id,
        group_instance_id=member.group_instance_id,
        reason=member.reason,
    )


def _response(result: tuple[MemberIdentity, ErrorCode]) -> MemberResponse:
    member, error = result
    return MemberResponse(
        member_id=member.member_id,
        group_instance_id=member.group_instance_id,
        error_code=error,
    )


def _refusal(error: ErrorCode) -> LeaveGroupResponse:
    return LeaveGroupResponse(error_code=error, members=[])
