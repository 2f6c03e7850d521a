"""LeaveGroup."""

from __future__ import annotations

import pytest

from broker.api.handlers.groups.leave_group import leave_group
from protocol.errors import ErrorCode
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.api.handlers.groups.membership import stable_member


@pytest.mark.parametrize("version", range(3))
def test_the_error_of_one_member_is_at_the_top(version: int) -> None:
    """The second time it is unknown."""
    node = GroupServices()
    body = LeaveGroupRequest(group_id="g", member_id=stable_member(node))

    assert call(leave_group, GroupRequest(node, body, version)).error_code == ErrorCode.NONE
    again = call(leave_group, GroupRequest(node, body, version))
    assert again.error_code == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("version", range(3, 6))
def test_each_of_many_members_has_its_own_error(version: int) -> None:
    """In the order of the request."""
    node = GroupServices()
    members = [
        MemberIdentity(member_id="x", group_instance_id="i"),
        MemberIdentity(member_id=stable_member(node)),
    ]
    body = LeaveGroupRequest(group_id="g", members=members)
    response = call(leave_group, GroupRequest(node, body, version))

    assert response.error_code == ErrorCode.NONE
    assert [(e.member_id, e.group_instance_id, e.error_code) for e in response.members] == [
        ("x", "i", ErrorCode.UNKNOWN_MEMBER_ID),
        (members[1].member_id, None, ErrorCode.NONE),
    ]


@pytest.mark.parametrize("version", [0, 5])
def test_an_empty_group_id_is_refused(version: int) -> None:
    """At the top, whatever members are named."""
    response = call(
        leave_group, GroupRequest(GroupServices(), LeaveGroupRequest(group_id=""), version)
    )

    assert (response.error_code, response.members) == (ErrorCode.INVALID_GROUP_ID, [])
