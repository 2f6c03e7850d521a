"""DescribeGroups: state and members of classic groups.

Behaviour: only stable groups have a protocol and subscriptions in the response. While a group
rebalances, each member has its last assignment (``ClassicGroupMember.describeNoMetadata``). A group
that does not exist, or is a consumer group, is Dead, as in Kafka. Groups that the client may not
describe come first.

Versions: 3 authorized operations, 4 instance ids, 6 GROUP_ID_NOT_FOUND with a message (KIP-1043).
"""

from __future__ import annotations

from functools import partial

from broker.api.authorization.authorized_operations import authorized_operations
from broker.api.authorization.check import DESCRIBE_GROUP
from broker.api.authorization.checks import unauthorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import DEAD, STABLE
from broker.groups.classic.member import ClassicGroupMember
from broker.security.resource import ResourceType
from broker.steps.queue import Slices, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)

_NOT_FOUND_SINCE = 6


def describe_groups(request: Request[DescribeGroupsRequest]) -> Slices[DescribeGroupsResponse]:
    """Describe each group."""
    names = request.body.groups
    hidden = yield from unauthorized(request, DESCRIBE_GROUP, names)
    groups = [
        _group(name, "", error_code=DESCRIBE_GROUP.error_code) for name in names if name in hidden
    ]
    visible = [name for name in names if name not in hidden]
    groups += yield from map_in_slices(partial(_described, request), visible)
    if request.body.include_authorized_operations:
        for group in groups:
            if not group.error_code:
                group.authorized_operations = authorized_operations(
                    request, ResourceType.GROUP, group.group_id
                )
    return DescribeGroupsResponse(groups=groups)


def _described(request: Request[DescribeGroupsRequest], group_id: str) -> DescribedGroup:
    try:
        group = request.services.groups.group(group_id)
        if not isinstance(group, ClassicGroup):
            raise ApiError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a classic group."
            )
    except ApiError as error:
        if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
            return _group(group_id, "", error_code=error.code)
        if request.version < _NOT_FOUND_SINCE:
            return _group(group_id, DEAD.value)
        return _group(group_id, DEAD.value, error_code=error.code, error_message=error.message)
    is_stable = group.state is STABLE
    return _group(
        group_id,
        group.state_name,
        protocol_type=group.protocol_type or "",
        protocol_data=(group.protocol_name or "") if is_stable else "",
        members=[_member(group, each, is_stable=is_stable) for each in group.members.values()],
    )


def _group(
    group_id: str,
    state: str,
    *,
    protocol_type: str = "",
    protocol_data: str = "",
    members: list[DescribedGroupMember] | None = None,
    error_code: ErrorCode = ErrorCode.NONE,
    error_message: str | None = None,
) -> DescribedGroup:
    return DescribedGroup(
        error_code=error_code,
        error_message=error_message,
        group_id=group_id,
        group_state=state,
        protocol_type=protocol_type,
        protocol_data=protocol_data,
        members=members or [],
    )


def _member(
    group: ClassicGroup, member: ClassicGroupMember, *, is_stable: bool
) -> DescribedGroupMember:
    return DescribedGroupMember(
        member_id=member.member_id,
        group_instance_id=member.group_instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_metadata=member.metadata(group.protocol_name) if is_stable else b"",
        member_assignment=member.assignment,
    )
