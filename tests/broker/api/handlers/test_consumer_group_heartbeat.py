"""ConsumerGroupHeartbeat, as a client sees it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import trio.testing

from broker.api.handlers.consumer_group_heartbeat import consumer_group_heartbeat
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.broker.api.handlers.group_request import T_ID, U_ID, GroupNode, GroupRequest, ask
from tests.client import running_node
from tests.held_offload import HeldOffload


def heartbeat(node: GroupNode, version: int = 1, **fields: Any) -> GroupRequest:
    """The first heartbeat of a member that wants topic t."""
    values: dict[str, Any] = {
        "group_id": "g",
        "member_id": "m",
        "member_epoch": 0,
        "rebalance_timeout_ms": 60_000,
        "subscribed_topic_names": ["t"],
        "topic_partitions": [],
    }
    return GroupRequest(node, ConsumerGroupHeartbeatRequest(**values | fields), version)


def told(response: Any) -> dict[UUID, list[int]]:
    """The partitions of an answer."""
    return {each.topic_id: each.partitions for each in response.assignment.topic_partitions}


def test_the_first_member_gets_everything() -> None:
    """It is told its epoch, and how often it is to be heard of."""
    response = ask(consumer_group_heartbeat, heartbeat(GroupNode()))

    assert (response.error_code, response.error_message) == (ErrorCode.NONE, None)
    assert (response.member_id, response.member_epoch) == ("m", 2)
    assert response.heartbeat_interval_ms == 5000
    assert told(response) == {T_ID: [0, 1]}


@pytest.mark.parametrize("epoch", [0, 7])
def test_a_long_heartbeat_has_the_same_response(epoch: int) -> None:
    """In a large group it is handled in slices; refusals are the same, too."""
    node, large = GroupNode(), GroupNode()
    large.groups.long_heartbeats.items_at_once_max = 0

    handled: Any = consumer_group_heartbeat
    slices = handled(heartbeat(large, member_epoch=epoch))
    assert isinstance(slices, Generator)
    assert finish(slices) == handled(heartbeat(node, member_epoch=epoch))


def test_before_v1_a_member_is_given_its_id() -> None:
    """Since then it chooses one itself (KIP-1082)."""
    node = GroupNode()

    assert ask(consumer_group_heartbeat, heartbeat(node, 0, member_id="")).member_id
    refused = ask(consumer_group_heartbeat, heartbeat(node, 1, member_id=""))
    assert refused.error_code == ErrorCode.INVALID_REQUEST
    assert refused.error_message == "MemberId can't be empty."


def test_what_a_member_says_of_itself_is_kept() -> None:
    """Its name and its address come from the connection."""
    node = GroupNode()
    ask(consumer_group_heartbeat, heartbeat(node, instance_id="i", rack_id="r"))

    member = node.groups.consumers.group("g").members["m"]
    assert (member.client_id, member.client_host) == ("client", "/127.0.0.1")
    assert (member.instance_id, member.rack_id) == ("i", "r")
    assert member.rebalance_timeout_ms == 60_000


def test_no_news_is_no_assignment() -> None:
    """A heartbeat of a member that has all that it shall have is answered without one."""
    node = GroupNode()
    epoch = ask(consumer_group_heartbeat, heartbeat(node)).member_epoch
    again = heartbeat(
        node,
        member_epoch=epoch,
        rebalance_timeout_ms=-1,
        subscribed_topic_names=None,
        topic_partitions=None,
    )

    assert ask(consumer_group_heartbeat, again).assignment is None


def test_an_empty_assignment_is_told() -> None:
    """A member whose topics do not exist has nothing, and knows it."""
    response = ask(
        consumer_group_heartbeat, heartbeat(GroupNode(), subscribed_topic_names=["nope"])
    )

    assert told(response) == {}


def test_a_regular_expression_is_resolved_right_after() -> None:
    """v1: the member gets its topics with a later heartbeat."""
    node = GroupNode()
    first = ask(
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

    assert told(first) == {}
    assert told(ask(consumer_group_heartbeat, again)) == {T_ID: [0, 1], U_ID: [0]}


def test_a_refusal_comes_with_a_message() -> None:
    """And with nothing else."""
    response = ask(consumer_group_heartbeat, heartbeat(GroupNode(), member_epoch=3))

    assert response.error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert response.error_message == "Consumer group g not found."
    assert (response.member_id, response.assignment) == (None, None)


def test_a_heartbeat_is_answered_when_it_is_replicated() -> None:
    """What a member is told must not be lost with the leader."""
    node = GroupNode()
    node.world.slow_down()
    waiting = heartbeat(node)
    assert ask(consumer_group_heartbeat, waiting) is None

    node.world.replicate()

    (response,) = waiting.answers
    assert told(response) == {T_ID: [0, 1]}


@pytest.mark.anyio
async def test_a_long_expression_is_read_in_a_thread(tmp_path: Path) -> None:
    """The member is refused or taken in after that, and others are served meanwhile."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        await node.client().send(FindCoordinatorRequest(coordinator_keys=["g"]))
        client = node.client()
        responses = []
        for regex in ("(" * 2000, "a" * 2000):
            request = heartbeat(GroupNode(), subscribed_topic_regex=regex).body
            client.start(request)
            await trio.testing.wait_all_tasks_blocked()
            assert client.nothing_arrived()
            offload.finish_next()
            responses.append((await client.receive()).error_code)

    assert responses == [ErrorCode.INVALID_REGULAR_EXPRESSION, ErrorCode.NONE]
