"""LeaveGroup, as a client sees it."""

from __future__ import annotations

import pytest

from broker.api.handlers.leave_group import leave_group
from protocol.errors import ErrorCode
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tests.broker.api.handlers.group_request import GroupNode, GroupRequest, ask
from tests.broker.api.handlers.membership import stable_member


@pytest.mark.parametrize("version", range(3))
def test_one_member_leaves_and_its_error_is_the_answer(version: int) -> None:
    """The second time it is unknown."""
    node = GroupNode()
    body = LeaveGroupRequest(group_id="g", member_id=stable_member(node))

    assert ask(leave_group, GroupRequest(node, body, version)).error_code == ErrorCode.NONE
    again = ask(leave_group, GroupRequest(node, body, version))
    assert again.error_code == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("version", range(3, 6))
def test_many_leave_each_with_its_own_error(version: int) -> None:
    """In the order in which they were named."""
    node = GroupNode()
    members = [
        MemberIdentity(member_id="x", group_instance_id="i"),
        MemberIdentity(member_id=stable_member(node)),
    ]
    body = LeaveGroupRequest(group_id="g", members=members)
    response = ask(leave_group, GroupRequest(node, body, version))

    assert response.error_code == ErrorCode.NONE
    assert [(e.member_id, e.group_instance_id, e.error_code) for e in response.members] == [
        ("x", "i", ErrorCode.UNKNOWN_MEMBER_ID),
        (members[1].member_id, None, ErrorCode.NONE),
    ]


@pytest.mark.parametrize("version", [0, 5])
def test_a_group_without_a_name_is_refused(version: int) -> None:
    """At the top, whatever members are named."""
    response = ask(leave_group, GroupRequest(GroupNode(), LeaveGroupRequest(group_id=""), version))

    assert (response.error_code, response.members) == (ErrorCode.INVALID_GROUP_ID, [])
