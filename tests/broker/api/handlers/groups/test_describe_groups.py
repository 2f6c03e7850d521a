"""DescribeGroups."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.authorization.authorized_operations import NOT_REQUESTED
from broker.api.handlers.groups.describe_groups import describe_groups
from broker.api.handlers.groups.join_group import join_group
from protocol.errors import ErrorCode
from protocol.messages.describe_groups import DescribeGroupsRequest
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.api.handlers.groups.membership import join_request, stable_member
from tests.broker.groups.script import ScriptPlayer


def describe(node: GroupServices, *groups: str, version: int = 6, **fields: Any) -> Any:
    """The description of these groups."""
    body = DescribeGroupsRequest(groups=list(groups), **fields)
    return call(describe_groups, GroupRequest(node, body, version)).groups


@pytest.mark.parametrize("version", range(7))
def test_a_stable_group_with_subscriptions_and_assignments(version: int) -> None:
    """Mirrors ``GroupMetadataManagerTest.testDescribeGroupStable``."""
    node = GroupServices()
    member_id = stable_member(node)
    (group,) = describe(node, "g", version=version)
    (member,) = group.members

    assert (group.error_code, group.group_id, group.group_state) == (0, "g", "Stable")
    assert (group.protocol_type, group.protocol_data) == ("consumer", "p")
    assert (member.member_id, member.client_id) == (member_id, "client")
    assert member.client_host == "/127.0.0.1"
    assert bytes(member.member_metadata) == b"metadata"
    assert bytes(member.member_assignment) == b"part"


@pytest.mark.parametrize("are_joined", [False, True])
def test_a_rebalancing_group_has_the_last_assignments(are_joined: bool) -> None:
    """It has neither a protocol nor subscriptions, before and after all members have joined."""
    node = GroupServices()
    member_id = stable_member(node)
    call(join_group, join_request(node))
    if are_joined:
        call(join_group, join_request(node, member_id=member_id))
    (group,) = describe(node, "g")

    state = "CompletingRebalance" if are_joined else "PreparingRebalance"
    assert (group.group_state, group.protocol_data) == (state, "")
    assert {bytes(each.member_metadata) for each in group.members} == {b""}
    assert sorted(bytes(each.member_assignment) for each in group.members) == [b"", b"part"]


def test_an_empty_group_without_a_protocol() -> None:
    """A group that only has offsets has no protocol type."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["commit - t-0=1"])
    (group,) = describe(node, "g")

    assert (group.group_state, group.protocol_type, group.members) == ("Empty", "", [])


@pytest.mark.parametrize(
    ("version", "error", "message"),
    [(5, ErrorCode.NONE, None), (6, ErrorCode.GROUP_ID_NOT_FOUND, "Group g not found.")],
)
def test_a_group_that_does_not_exist_is_dead(
    version: int, error: ErrorCode, message: str | None
) -> None:
    """Mirrors ``testDescribeGroupsGroupIdNotFoundException``; v6 has an error too (KIP-1043)."""
    (group,) = describe(GroupServices(), "g", version=version)

    assert (group.group_state, group.error_code) == ("Dead", error)
    assert group.error_message == message


@pytest.mark.parametrize("version", [5, 6])
def test_a_consumer_group_is_dead(version: int) -> None:
    """Clients then use ConsumerGroupDescribe for it."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t"])
    (group,) = describe(node, "g", version=version)

    assert (group.group_state, group.members) == ("Dead", [])
    if version >= 6:
        assert group.error_message == "Group g is not a classic group."


def test_a_group_of_another_node_has_no_state() -> None:
    """The client must find its coordinator."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["unload"])
    (group,) = describe(node, "g")

    assert (group.group_state, group.error_code) == ("", ErrorCode.NOT_COORDINATOR)


def test_authorized_operations_are_returned_on_request() -> None:
    """v3, for groups that exist."""
    node = GroupServices()
    stable_member(node)
    requested = describe(node, "g", "x", include_authorized_operations=True)
    (silent,) = describe(node, "g")

    assert [each.authorized_operations for each in requested] == [
        3400,
        NOT_REQUESTED,
    ]
    assert silent.authorized_operations == NOT_REQUESTED
