"""ConsumerGroupDescribe."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.authorization.authorized_operations import NOT_REQUESTED
from broker.api.handlers.groups.consumer_group_describe import consumer_group_describe
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tests.broker.api.handlers.groups.group_request import T_ID, GroupRequest, GroupServices, call
from tests.broker.groups.script import ScriptPlayer


def describe(node: GroupServices, *group_ids: str, version: int = 1, **fields: Any) -> Any:
    """The description of these groups."""
    body = ConsumerGroupDescribeRequest(group_ids=list(group_ids), **fields)
    return call(consumer_group_describe, GroupRequest(node, body, version)).groups


def shown(assignment: Any) -> list[tuple[str, list[int]]]:
    """Topics by name, each with its partitions."""
    return [(each.topic_name, each.partitions) for each in assignment.topic_partitions]


def test_a_group_with_its_members() -> None:
    """Mirrors ``ConsumerGroupTest.testAsDescribedGroup``."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t,u instance=i rack=r"])
    (group,) = describe(node, "g")
    (member,) = group.members

    assert (group.error_code, group.group_id, group.group_state) == (0, "g", "Stable")
    assert (group.group_epoch, group.assignment_epoch, group.assignor_name) == (2, 2, "uniform")
    assert (member.member_id, member.member_epoch) == ("a", 2)
    assert (member.instance_id, member.rack_id, member.client_id) == ("i", "r", "a")
    assert member.subscribed_topic_names == ["t", "u"]
    assert sorted(shown(member.assignment)) == [("t", [0, 1]), ("u", [0])]
    assert member.member_type == 1


def test_the_assignment_and_the_target_assignment_of_a_member() -> None:
    """They differ during a rebalance."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t", "consume b t"])
    (group,) = describe(node, "g")
    members = {each.member_id: each for each in group.members}

    assert group.group_state == "Reconciling"
    assert shown(members["a"].assignment) == [("t", [0, 1])]
    assert shown(members["a"].target_assignment) == [("t", [0])]
    assert shown(members["b"].assignment) == []
    assert shown(members["b"].target_assignment) == [("t", [1])]


def test_the_assignor_with_the_most_votes() -> None:
    """Without votes it is the broker's first assignor."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t assignor=range"])

    assert describe(node, "g")[0].assignor_name == "range"


def test_a_deleted_topic_is_omitted() -> None:
    """Its name is unknown."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t,u", "drop t"])
    (member,) = describe(node, "g")[0].members

    assert shown(member.assignment) == [("u", [0])]
    assert T_ID in node.groups.consumers.group("g").members["a"].assigned


def test_a_member_that_uses_the_classic_protocol() -> None:
    """v1 has a field for it (KIP-1099)."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["enter a topics=t", "sync a a=t-0,1", "consume b t"])
    types = [each.member_type for each in describe(node, "g")[0].members]
    unknown = [each.member_type for each in describe(node, "g", version=0)[0].members]

    assert types == [0, 1]
    assert unknown == [-1, -1]


@pytest.mark.parametrize(
    ("group_id", "error", "message"),
    [
        ("", ErrorCode.INVALID_GROUP_ID, None),
        ("absent", ErrorCode.GROUP_ID_NOT_FOUND, "Group absent not found."),
        ("g", ErrorCode.GROUP_ID_NOT_FOUND, "Group g is not a consumer group."),
    ],
)
def test_each_group_has_its_own_error(group_id: str, error: ErrorCode, message: str | None) -> None:
    """Mirrors ``GroupMetadataManagerTest.testConsumerGroupDescribeWithErrors``."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["enter a"])
    (group,) = describe(node, group_id)

    assert (group.group_id, group.error_code, group.members) == (group_id, error, [])
    assert group.error_message == message


def test_empty_ids_come_first() -> None:
    """Kafka refuses them before it asks the coordinators about the other groups."""
    groups = describe(GroupServices(), "x", "", "y", "")

    assert [each.group_id for each in groups] == ["", "", "x", "y"]


def test_a_group_of_another_node() -> None:
    """The client must find its coordinator."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["unload"])

    assert describe(node, "g")[0].error_code == ErrorCode.NOT_COORDINATOR


def test_authorized_operations_are_returned_on_request() -> None:
    """For groups that exist."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t"])
    allowed = [
        [each.authorized_operations for each in describe(node, "g", "x", **requested)]
        for requested in ({}, {"include_authorized_operations": True})
    ]

    assert allowed == [
        [NOT_REQUESTED, NOT_REQUESTED],
        [3400, NOT_REQUESTED],
    ]


def test_a_partition_is_assigned_until_its_member_has_revoked_it() -> None:
    """The member was requested to revoke it and has not confirmed it."""
    node = GroupServices()
    ScriptPlayer(node.world).play(["consume a t", "consume b t", "beat a"])
    members = {each.member_id: each for each in describe(node, "g")[0].members}

    assert shown(members["a"].assignment) == [("t", [0, 1])]
    assert shown(members["a"].target_assignment) == [("t", [0])]
