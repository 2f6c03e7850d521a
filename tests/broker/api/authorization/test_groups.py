"""Authorization of requests about groups, as a Kafka 4.3.1 with the StandardAuthorizer responds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from broker.security.resource import Operation
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic,
)
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.join_group import JoinGroupRequest
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.sync_group import SyncGroupRequest
from tests.broker.api.authorization.consumers import heartbeat_until_assigned, subscribed
from tests.broker.api.authorization.fake_authorizer import (
    Allowed,
    FakeAuthorizer,
    install,
    on_cluster,
    on_group,
    on_topic,
)
from tests.broker.api.authorization.offsets import commit_of
from tests.client import Client, RunningNode, running_node

pytestmark = pytest.mark.anyio

DESCRIBE, READ, DELETE = Operation.DESCRIBE, Operation.READ, Operation.DELETE


@asynccontextmanager
async def node_with_groups(
    tmp_path: Path, *names: str
) -> AsyncIterator[tuple[RunningNode, Client]]:
    """A node with the topics a and b, and groups that have committed offsets of both."""
    async with running_node(tmp_path, offsets_topic_num_partitions="1") as node:
        for name in ("a", "b", "__consumer_offsets"):
            node.controller.create_topic(name, partitions=1)
        client = node.client()
        for group_id in names:
            await client.send(commit_of(group_id, "a", "b"), 9)
        yield node, client


JOIN = JoinGroupRequest(
    group_id="g",
    session_timeout_ms=10_000,
    member_id="",
    protocol_type="consumer",
    protocols=[],
)
SYNC = SyncGroupRequest(
    group_id="g",
    generation_id=1,
    member_id="m",
    assignments=[],
    protocol_type="consumer",
    protocol_name="range",
)
LEAVE = LeaveGroupRequest(group_id="g", member_id="m", members=[MemberIdentity(member_id="m")])
HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
MEMBERSHIP: list[Any] = [JOIN, SYNC, LEAVE, HEARTBEAT]


@pytest.mark.parametrize(
    ("body", "version"),
    [
        (body, version)
        for body in MEMBERSHIP
        for version in (body.__spec__.versions[0], body.__spec__.versions[-1])
    ],
)
async def test_members_must_be_authorized_to_read_their_group(
    tmp_path: Path, body: Any, version: int
) -> None:
    """The whole request is refused; another group, and the topics, do not matter."""
    async with node_with_groups(tmp_path) as (node, client):
        install(node.node, FakeAuthorizer(*on_group(READ, "h"), *on_group(DESCRIBE, "g")))
        refused = await client.send(body, version)
        install(node.node, FakeAuthorizer(*on_group(READ, "g")))
        accepted = await client.send(body, version)

    assert refused.error_code == 30
    assert accepted.error_code != 30
    assert not getattr(refused, "members", None)


async def test_a_sync_without_a_protocol_is_refused_first(tmp_path: Path) -> None:
    """Only since the version that requires the protocol."""
    async with node_with_groups(tmp_path) as (node, client):
        install(node.node, FakeAuthorizer())
        body = SyncGroupRequest(group_id="g", generation_id=1, member_id="m", assignments=[])

        assert (await client.send(body, 5)).error_code == 23
        assert (await client.send(body, 4)).error_code == 30


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ([], []),
        (on_group(DESCRIBE, "h", "none"), ["h"]),
        ([on_cluster(DESCRIBE)], ["g", "h"]),
        ([on_cluster(Operation.ALTER)], []),
    ],
)
async def test_groups_that_are_listed(
    tmp_path: Path, allowed: list[Allowed], expected: list[str]
) -> None:
    """Those that the client may describe, or all if it may describe the cluster."""
    async with node_with_groups(tmp_path, "g", "h") as (node, client):
        authorizer = FakeAuthorizer(*allowed)
        install(node.node, authorizer)
        response = await client.send(ListGroupsRequest())

    assert sorted(group.group_id for group in response.groups) == expected
    assert (response.error_code, authorizer.logged) == (0, [])


async def test_groups_that_are_described(tmp_path: Path) -> None:
    """Groups that the client may not describe come first, and have no state."""
    async with node_with_groups(tmp_path, "g", "h") as (node, client):
        install(node.node, FakeAuthorizer(*on_group(DESCRIBE, "g"), *on_group(READ, "g")))
        body = DescribeGroupsRequest(
            groups=["g", "h", "none", "g"], include_authorized_operations=True
        )
        response = await client.send(body, 6)

    assert [
        (group.group_id, group.error_code, group.group_state, group.authorized_operations)
        for group in response.groups
    ] == [
        ("h", 30, "", -(2**31)),
        ("none", 30, "", -(2**31)),
        ("g", 0, "Empty", 1 << 8 | 1 << 3),
        ("g", 0, "Empty", 1 << 8 | 1 << 3),
    ]
    assert response.groups[0].error_message is None


async def test_groups_that_are_deleted(tmp_path: Path) -> None:
    """Groups that the client may not delete are the last ones, whether they exist."""
    async with node_with_groups(tmp_path, "g", "h") as (node, client):
        install(node.node, FakeAuthorizer(*on_group(DELETE, "g", "none")))
        body = DeleteGroupsRequest(groups_names=["h", "zz", "g", "none", "h"])
        response = await client.send(body)
        install(node.node, None)
        left = [group.group_id for group in (await client.send(ListGroupsRequest())).groups]

    results = [(each.group_id, each.error_code) for each in response.results]
    assert results == [("g", 0), ("none", 69), ("h", 30), ("zz", 30)]
    assert left == ["h"]


@pytest.mark.parametrize(
    ("key_type", "error", "message"),
    [
        (0, 30, "Group authorization failed."),
        (1, 53, "Transactional Id authorization failed."),
    ],
)
@pytest.mark.parametrize("version", [1, 3, 4, 6])
async def test_coordinators(
    tmp_path: Path, version: int, key_type: int, error: int, message: str
) -> None:
    """The error has a message in versions with one key; the topic is not created."""
    async with running_node(tmp_path) as node:
        install(node.node, FakeAuthorizer())
        body = FindCoordinatorRequest(key="k", key_type=key_type, coordinator_keys=["k"])
        response = await node.client().send(body, version)
        assert not node.controller.image.topics

    found = response if version < 4 else response.coordinators[0]
    assert (found.error_code, found.node_id, found.host, found.port) == (error, -1, "", -1)
    assert found.error_message == (message if version < 4 else "")


async def test_coordinators_of_several_keys(tmp_path: Path) -> None:
    """Each key has its own error."""
    async with node_with_groups(tmp_path) as (node, client):
        install(node.node, FakeAuthorizer(*on_group(DESCRIBE, "h")))
        body = FindCoordinatorRequest(key_type=0, coordinator_keys=["g", "h"])
        response = await client.send(body)

    found = [(each.key, each.error_code, each.node_id) for each in response.coordinators]
    assert found == [("g", 30, -1), ("h", 0, 1)]


@pytest.mark.parametrize(
    ("allowed", "error", "message"),
    [
        ([], 31, "Cluster authorization failed."),
        ([on_cluster(Operation.CLUSTER_ACTION)], 42, ""),
    ],
)
async def test_coordinators_of_share_partitions(
    tmp_path: Path, allowed: list[Allowed], error: int, message: str
) -> None:
    """Only brokers may ask for them."""
    async with running_node(tmp_path) as node:
        install(node.node, FakeAuthorizer(*allowed))
        body = FindCoordinatorRequest(key_type=2, coordinator_keys=["g:id:0"])
        (found,) = (await node.client().send(body)).coordinators

    assert found.error_code == error
    assert found.error_message == message


async def test_offsets_of_a_share_group_are_refused_without_a_message(tmp_path: Path) -> None:
    """Whether the group exists or not, and without its topics."""
    async with running_node(tmp_path) as node:
        install(node.node, FakeAuthorizer())
        group = DescribeShareGroupOffsetsRequestGroup(group_id="g", topics=None)
        response = await node.client().send(DescribeShareGroupOffsetsRequest(groups=[group]))

    (described,) = response.groups
    assert (described.error_code, described.error_message) == (30, None)
    assert described.topics == []


async def test_a_hidden_topic_of_a_share_group_has_no_start_offset(tmp_path: Path) -> None:
    """Its partitions have the error, whether the topic exists or not."""
    async with node_with_groups(tmp_path) as (node, client):
        install(node.node, FakeAuthorizer(*on_group(DESCRIBE, "g")))
        topic = DescribeShareGroupOffsetsRequestTopic(topic_name="a", partitions=[0])
        group = DescribeShareGroupOffsetsRequestGroup(group_id="g", topics=[topic])
        response = await client.send(DescribeShareGroupOffsetsRequest(groups=[group]))

    (partition,) = response.groups[0].topics[0].partitions
    assert (partition.error_code, partition.start_offset, partition.lag) == (29, -1, -1)


@pytest.mark.parametrize("version", [2, 5])
async def test_versions_without_share_partitions_refuse_them_first(
    tmp_path: Path, version: int
) -> None:
    """INVALID_REQUEST, also for clients that may not ask for them."""
    async with running_node(tmp_path) as node:
        install(node.node, FakeAuthorizer())
        body = FindCoordinatorRequest(key="k", key_type=2, coordinator_keys=["k"])
        response = await node.client().send(body, version)

    found = response if version < 4 else response.coordinators[0]
    assert found.error_code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(
    ("allowed", "error"),
    [
        ([], 30),
        (on_topic(DESCRIBE, "a", "b"), 30),
        ([*on_group(READ, "g"), *on_topic(DESCRIBE, "a")], 29),
        ([*on_group(READ, "g"), *on_topic(DESCRIBE, "a", "b")], 0),
    ],
)
async def test_a_member_must_be_authorized_for_its_group_and_each_topic_it_names(
    tmp_path: Path, allowed: list[Allowed], error: int
) -> None:
    """The error has no message."""
    async with node_with_groups(tmp_path) as (node, client):
        install(node.node, FakeAuthorizer(*allowed))
        response = await client.send(subscribed("g", names=["a", "b"]))

    assert (response.error_code, response.error_message) == (error, None)


async def test_topics_of_a_regular_expression(tmp_path: Path) -> None:
    """Those that the client may describe; refusals are not logged."""
    async with node_with_groups(tmp_path) as (node, client):
        authorizer = FakeAuthorizer(*on_group(READ, "g"), *on_topic(DESCRIBE, "b"))
        install(node.node, authorizer)
        assigned = await heartbeat_until_assigned(client, subscribed("g", regex="a|b"))

        topic = node.controller.image.topic("b")
        assert topic is not None
        assert assigned == {topic.topic_id}
        assert authorizer.logged == []


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ([], [("zz", 30, 0), ("g", 30, 0)]),
        (on_group(DESCRIBE, "g"), [("zz", 30, 0), ("g", 29, 0)]),
        ([*on_group(DESCRIBE, "g"), *on_topic(DESCRIBE, "a")], [("zz", 30, 0), ("g", 0, 1)]),
    ],
)
async def test_consumer_groups_that_are_described(
    tmp_path: Path, allowed: list[Allowed], expected: list[tuple[str, int, int]]
) -> None:
    """A group with a topic that the client may not describe has an error and no members."""
    async with node_with_groups(tmp_path) as (node, client):
        await client.send(subscribed("g", names=["a"]))
        install(node.node, FakeAuthorizer(*allowed))
        body = ConsumerGroupDescribeRequest(
            group_ids=["zz", "g"], include_authorized_operations=True
        )
        response = await client.send(body)

    facts = [(each.group_id, each.error_code, len(each.members)) for each in response.groups]
    assert facts == expected
    described = response.groups[1]
    assert described.authorized_operations == (-(2**31) if described.error_code else 1 << 8)
    if described.error_code == 29:
        assert described.error_message.startswith("The group has described topic(s)")
