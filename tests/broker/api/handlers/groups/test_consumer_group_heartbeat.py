"""ConsumerGroupHeartbeat."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import trio.testing

from broker.api.handlers.groups.consumer_group_heartbeat import consumer_group_heartbeat
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.broker.api.handlers.groups.group_request import (
    T_ID,
    U_ID,
    GroupRequest,
    GroupServices,
    call,
)
from tests.client import running_node
from tests.held_offload import HeldOffload


def heartbeat(node: GroupServices, version: int = 1, **fields: Any) -> GroupRequest:
    """The first heartbeat of a member that subscribes to topic t."""
    values: dict[str, Any] = {
        "group_id": "g",
        "member_id": "m",
        "member_epoch": 0,
        "rebalance_timeout_ms": 60_000,
        "subscribed_topic_names": ["t"],
        "topic_partitions": [],
    }
    return GroupRequest(node, ConsumerGroupHeartbeatRequest(**values | fields), version)


def assigned_partitions(response: Any) -> dict[UUID, list[int]]:
    """The partitions of a response."""
    return {each.topic_id: each.partitions for each in response.assignment.topic_partitions}


def test_the_first_member_gets_all_partitions() -> None:
    """The response has its epoch and the heartbeat interval."""
    response = call(consumer_group_heartbeat, heartbeat(GroupServices()))

    assert (response.error_code, response.error_message) == (ErrorCode.NONE, None)
    assert (response.member_id, response.member_epoch) == ("m", 2)
    assert response.heartbeat_interval_ms == 5000
    assert assigned_partitions(response) == {T_ID: [0, 1]}


@pytest.mark.parametrize("epoch", [0, 7])
def test_a_long_heartbeat_has_the_same_response(epoch: int) -> None:
    """In a large group it is handled in slices; the errors are the same."""
    node, large = GroupServices(), GroupServices()
    large.groups.long_heartbeats.items_at_once_max = 0

    handled: Any = consumer_group_heartbeat
    slices = handled(heartbeat(large, member_epoch=epoch).request)
    assert isinstance(slices, Generator)
    assert finish(slices) == handled(heartbeat(node, member_epoch=epoch).request)


def test_before_v1_the_broker_generates_the_member_id() -> None:
    """From v1 on the client generates it (KIP-1082)."""
    node = GroupServices()

    assert call(consumer_group_heartbeat, heartbeat(node, 0, member_id="")).member_id
    refused = call(consumer_group_heartbeat, heartbeat(node, 1, member_id=""))
    assert refused.error_code == ErrorCode.INVALID_REQUEST
    assert refused.error_message == "MemberId can't be empty."


def test_the_properties_of_a_member_are_stored() -> None:
    """Its client id and host are those of the connection."""
    node = GroupServices()
    call(consumer_group_heartbeat, heartbeat(node, instance_id="i", rack_id="r"))

    member = node.groups.consumers.group("g").members["m"]
    assert (member.client_id, member.client_host) == ("client", "/127.0.0.1")
    assert (member.instance_id, member.rack_id) == ("i", "r")
    assert member.rebalance_timeout_ms == 60_000


def test_an_unchanged_assignment_is_not_in_the_response() -> None:
    """A member that has its target assignment gets none."""
    node = GroupServices()
    epoch = call(consumer_group_heartbeat, heartbeat(node)).member_epoch
    again = heartbeat(
        node,
        member_epoch=epoch,
        rebalance_timeout_ms=-1,
        subscribed_topic_names=None,
        topic_partitions=None,
    )

    assert call(consumer_group_heartbeat, again).assignment is None


def test_an_empty_assignment_is_in_the_response() -> None:
    """A member whose topics do not exist gets an empty one."""
    response = call(
        consumer_group_heartbeat, heartbeat(GroupServices(), subscribed_topic_names=["nope"])
    )

    assert assigned_partitions(response) == {}


def test_a_regular_expression_is_resolved_after_the_heartbeat() -> None:
    """v1: the member gets its topics with a later heartbeat."""
    node = GroupServices()
    first = call(
        consumer_group_heartbeat,
        heartbeat(node, subscribed_topic_names=None, subscribed_topic_regex="[tu]"),
    )
    node.world.wait(1)
    again = heartbeat(
        node,
        member_epoch=first.member_epoch,
        rebalance_timeout_ms=-1,
        subscribed_topic_names=None,
        topic_partitions=None,
    )

    assert assigned_partitions(first) == {}
    assert assigned_partitions(call(consumer_group_heartbeat, again)) == {T_ID: [0, 1], U_ID: [0]}


def test_an_error_has_a_message() -> None:
    """And no other field."""
    response = call(consumer_group_heartbeat, heartbeat(GroupServices(), member_epoch=3))

    assert response.error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert response.error_message == "Consumer group g not found."
    assert (response.member_id, response.assignment) == (None, None)


def test_the_response_waits_until_its_records_are_replicated() -> None:
    """State that a member knows must not be lost with the leader."""
    node = GroupServices()
    node.world.slow_down()
    waiting = heartbeat(node)
    assert call(consumer_group_heartbeat, waiting) is None

    node.world.replicate()

    (response,) = waiting.responses
    assert assigned_partitions(response) == {T_ID: [0, 1]}


@pytest.mark.anyio
async def test_a_long_regular_expression_is_parsed_in_a_thread(tmp_path: Path) -> None:
    """The heartbeat is processed after that; other clients are served meanwhile."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        await node.client().send(FindCoordinatorRequest(coordinator_keys=["g"]))
        client = node.client()
        responses = []
        for regex in ("(" * 2000, "a" * 2000):
            request = heartbeat(GroupServices(), subscribed_topic_regex=regex).body
            client.start(request)
            await trio.testing.wait_all_tasks_blocked()
            assert client.nothing_arrived()
            offload.finish_next()
            responses.append((await client.receive()).error_code)

    assert responses == [ErrorCode.INVALID_REGULAR_EXPRESSION, ErrorCode.NONE]
