"""Share groups over the wire: heartbeats, descriptions, lists and deletions."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.api.handlers.groups.share_group_heartbeat import share_group_heartbeat
from broker.api.long_request import ITEMS_AT_ONCE
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.share.share_partition_key import SharePartitionKey
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.share_group_describe import ShareGroupDescribeRequest
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices
from tests.client import Client, RunningNode, running_node
from tests.held_offload import HeldOffload

pytestmark = pytest.mark.anyio


def heartbeat(
    epoch: int = 0, member_id: str = "m", names: list[str] | None = None
) -> ShareGroupHeartbeatRequest:
    """A heartbeat of a member of g."""
    return ShareGroupHeartbeatRequest(
        group_id="g", member_id=member_id, member_epoch=epoch, subscribed_topic_names=names
    )


async def joined(node: RunningNode) -> tuple[Client, Any]:
    """A member of g that has the partitions of t, and its last response."""
    ensure_internal_topic(node.controller, offsets_topic(node.node.config))
    node.controller.create_topic("t", partitions=2)
    client = node.client()
    first = await client.send(heartbeat(names=["t"]))
    assert (first.error_code, first.assignment.topic_partitions) == (0, [])
    await trio.sleep(1.1)  # the assignment interval
    return client, await client.send(heartbeat(first.member_epoch))


def states(node: RunningNode) -> set[SharePartitionKey]:
    """The share partitions that the share coordinator has states of."""
    return {
        key for each in node.node.share_groups.coordinator.states.values() for key in each.states
    }


async def test_a_member_gets_initialized_partitions(tmp_path: Path) -> None:
    """The topic of states is created for the group, and its share partitions are initialized."""
    async with running_node(tmp_path) as node:
        _, response = await joined(node)

        (assigned,) = response.assignment.topic_partitions
        topic = node.controller.image.topic("t")
        assert topic is not None
        assert (assigned.topic_id, assigned.partitions) == (topic.topic_id, [0, 1])
        assert states(node) == {SharePartitionKey("g", topic.topic_id, each) for each in (0, 1)}


@pytest.mark.parametrize("epoch", [0, -1])
def test_a_heartbeat_with_many_topics_is_computed_in_a_thread(epoch: int) -> None:
    """Not if its member leaves."""
    node = GroupServices(offload=(offload := HeldOffload()))
    names = [f"t{number}" for number in range(ITEMS_AT_ONCE + 1)]
    request = GroupRequest(node, heartbeat(epoch, names=names), 1).request
    slices: Any = share_group_heartbeat(request)
    assert isinstance(slices, Generator)
    if epoch:
        assert finish(slices).error_code == ErrorCode.GROUP_ID_NOT_FOUND
        return
    while not offload.jobs:
        next(slices)
    offload.finish_next()

    assert (finish(slices).error_code, list(node.groups.groups)) == (ErrorCode.NONE, ["g"])


@pytest.mark.parametrize("member_id", ["", "m" * 37])
async def test_a_member_id_has_1_to_36_characters(tmp_path: Path, member_id: str) -> None:
    """Others are invalid, without a message."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(heartbeat(member_id=member_id, names=["t"]))

    assert (response.error_code, response.error_message) == (ErrorCode.INVALID_REQUEST, None)


async def test_a_group_is_described(tmp_path: Path) -> None:
    """With its members, their topics and assignments; empty group ids come first."""
    async with running_node(tmp_path) as node:
        client, _ = await joined(node)

        response = await client.send(ShareGroupDescribeRequest(group_ids=["g", "", "x"]))

    without_id, found, unknown = response.groups
    assert (found.group_state, found.group_epoch, found.assignment_epoch) == ("Stable", 3, 3)
    assert found.assignor_name == "simple"
    (member,) = found.members
    assert (member.member_id, member.member_epoch) == ("m", 3)
    assert (member.client_id, member.subscribed_topic_names) == ("test", ["t"])
    (assigned,) = member.assignment.topic_partitions
    assert (assigned.topic_name, assigned.partitions) == ("t", [0, 1])
    assert without_id.error_code == ErrorCode.INVALID_GROUP_ID
    assert unknown.error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert unknown.error_message == "Group x not found."


async def test_a_group_of_another_coordinator_is_described_with_a_message(tmp_path: Path) -> None:
    """ConsumerGroupDescribe has none."""
    async with running_node(tmp_path) as node:
        client = node.client()

        (share,) = (await client.send(ShareGroupDescribeRequest(group_ids=["g"]))).groups
        (consumer,) = (await client.send(ConsumerGroupDescribeRequest(group_ids=["g"]))).groups

    assert share.error_code == consumer.error_code == ErrorCode.NOT_COORDINATOR
    assert share.error_message == "This is not the correct coordinator."
    assert consumer.error_message is None


async def test_a_group_is_listed_by_its_type(tmp_path: Path) -> None:
    """It is not a classic group."""
    async with running_node(tmp_path) as node:
        client, _ = await joined(node)

        listed = await client.send(ListGroupsRequest(states_filter=[], types_filter=["Share"]))
        described = await client.send(DescribeGroupsRequest(groups=["g"]))

    (group,) = listed.groups
    assert (group.protocol_type, group.group_type, group.group_state) == (
        "share",
        "share",
        "Stable",
    )
    assert described.groups[0].error_code == ErrorCode.GROUP_ID_NOT_FOUND


async def test_a_deleted_group_has_no_states(tmp_path: Path) -> None:
    """A group with members is not deleted."""
    async with running_node(tmp_path) as node:
        client, _ = await joined(node)
        delete = DeleteGroupsRequest(groups_names=["g", "x"])
        refused = await client.send(delete)
        await client.send(heartbeat(-1))

        deleted = await client.send(delete)

        assert [each.error_code for each in refused.results] == [68, 69]
        assert [each.error_code for each in deleted.results] == [0, 69]
        assert not states(node)
        assert "g" not in node.node.groups.groups
