"""Requests about groups of all types, to streams groups."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.handlers.groups.consumer_group_describe import consumer_group_describe
from broker.api.handlers.groups.describe_groups import describe_groups
from broker.api.handlers.groups.list_groups import list_groups
from broker.api.handlers.groups.share_group_describe import share_group_describe
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.list_groups import ListedGroup, ListGroupsRequest
from protocol.messages.share_group_describe import ShareGroupDescribeRequest
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices, call
from tests.broker.api.handlers.groups.streams_members import join, reading, sent, topology


@pytest.fixture
def node() -> GroupServices:
    """A node with the topics t and u, which have two partitions and one."""
    return GroupServices()


def listed(node: GroupServices, *states: str, types: tuple[str, ...] = ()) -> list[ListedGroup]:
    """The groups that match the filters."""
    body = ListGroupsRequest(states_filter=list(states), types_filter=list(types))
    groups: list[ListedGroup] = call(list_groups, GroupRequest(node, body, 5)).groups
    return groups


@pytest.mark.parametrize("types", [(), ("streams",), ("STREAMS",)])
def test_a_group_is_listed_by_its_type(node: GroupServices, types: tuple[str, ...]) -> None:
    """In any case."""
    sent(node, join())

    assert listed(node, types=types) == [
        ListedGroup(
            group_id="g", protocol_type="streams", group_state="Stable", group_type="streams"
        )
    ]
    assert listed(node, types=("consumer",)) == []


@pytest.mark.parametrize(
    ("state", "is_found"),
    [("not_ready", True), ("NOT_READY", True), ("NotReady", False), ("notready", False)],
)
def test_a_group_that_is_not_ready_is_listed_by_another_name(
    node: GroupServices, state: str, is_found: bool
) -> None:
    """As in Kafka; the response has the name of the state."""
    sent(node, join(topology=topology(reading("nowhere"))))

    assert [each.group_state for each in listed(node, state)] == ["NotReady"] * is_found


def test_a_streams_group_is_no_other_group(node: GroupServices) -> None:
    """Its description as another one has a message."""
    sent(node, join())

    def answer(handler: Any, body: Any) -> tuple[int, str | None]:
        (group,) = call(handler, GroupRequest(node, body, body.__spec__.versions[-1])).groups
        return group.error_code, group.error_message

    assert answer(describe_groups, DescribeGroupsRequest(groups=["g"])) == (
        69,
        "Group g is not a classic group.",
    )
    assert answer(consumer_group_describe, ConsumerGroupDescribeRequest(group_ids=["g"])) == (
        69,
        "Group g is not a consumer group.",
    )
    assert answer(share_group_describe, ShareGroupDescribeRequest(group_ids=["g"])) == (
        69,
        "Group g is not a share group.",
    )


@pytest.mark.parametrize(("version", "code"), [(5, 0), (6, 69)])
def test_a_streams_group_is_a_dead_classic_group(
    node: GroupServices, version: int, code: int
) -> None:
    """Old versions of DescribeGroups have no error for it."""
    sent(node, join())
    body = DescribeGroupsRequest(groups=["g"])

    (group,) = call(describe_groups, GroupRequest(node, body, version)).groups

    assert (group.error_code, group.group_state) == (code, "Dead")
