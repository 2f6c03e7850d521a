"""The offsets of share groups: describe, alter, delete."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from broker.common.uuid_text import uuid_text
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.state_topic import share_state_topic
from protocol.errors import ErrorCode
from protocol.messages.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from protocol.messages.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic,
)
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from protocol.schema import ZERO_UUID
from tests.batches import batch
from tests.client import Client, RunningCluster, RunningNode, running_cluster, running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


def prepared(running: RunningCluster, node_id: int = 1, **topic: Any) -> None:
    """Create the topic t and the internal topics."""
    config = running.cluster.node(node_id).config
    running.controller.create_topic("t", **{"partitions": 2, **topic})
    ensure_internal_topic(running.controller, offsets_topic(config))
    ensure_internal_topic(running.controller, share_state_topic(config))


def client_of(node: RunningNode) -> Client:
    """A client of a node with the topic t."""
    prepared(node)
    return node.client()


async def alter(
    client: Client, *offsets: tuple[int, int], name: str = "t", group_id: str = "g"
) -> Any:
    """Set start offsets of partitions of a topic."""
    partitions = [
        AlterShareGroupOffsetsRequestPartition(partition_index=partition, start_offset=offset)
        for partition, offset in offsets
    ]
    topic = AlterShareGroupOffsetsRequestTopic(topic_name=name, partitions=partitions)
    return await client.send(AlterShareGroupOffsetsRequest(group_id=group_id, topics=[topic]))


async def delete(client: Client, *names: str, group_id: str = "g") -> Any:
    """Delete the states of topics."""
    topics = [DeleteShareGroupOffsetsRequestTopic(topic_name=name) for name in names]
    return await client.send(DeleteShareGroupOffsetsRequest(group_id=group_id, topics=topics))


async def described(
    client: Client, topics: dict[str, list[int]] | None = None, group_id: str = "g"
) -> dict[tuple[str, int], tuple[int, int]]:
    """The start offset and the lag of each share partition."""
    named = None
    if topics is not None:
        named = [
            DescribeShareGroupOffsetsRequestTopic(topic_name=name, partitions=partitions)
            for name, partitions in topics.items()
        ]
    group = DescribeShareGroupOffsetsRequestGroup(group_id=group_id, topics=named)
    response = await client.send(DescribeShareGroupOffsetsRequest(groups=[group]))
    (found,) = response.groups
    assert found.error_code == 0
    return {
        (topic.topic_name, each.partition_index): (each.start_offset, each.lag)
        for topic in found.topics
        for each in topic.partitions
    }


async def join(client: Client, epoch: int = 0) -> None:
    """Let a member join or leave."""
    names = ["t"] if epoch == 0 else None
    response = await client.send(
        ShareGroupHeartbeatRequest(
            group_id="g", member_id="m", member_epoch=epoch, subscribed_topic_names=names
        )
    )
    assert response.error_code == 0


def errors(response: Any) -> list[tuple[int, int]]:
    """The partitions of the first topic, with their errors."""
    return [(each.partition_index, each.error_code) for each in response.responses[0].partitions]


async def test_offsets_of_a_new_group_are_set(tmp_path: Path) -> None:
    """The group is created; the results have the order of the request."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        await client.send(produce_request("t", batch(b"x", b"y", b"z")), PRODUCE_VERSION)

        response = await alter(client, (5, 1), (0, 1))

        assert errors(response) == [(5, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION), (0, 0)]
        assert await described(client) == {("t", 0): (1, 2)}


async def test_a_group_is_created_only_if_a_topic_exists(tmp_path: Path) -> None:
    """The partitions need not exist."""
    async with running_node(tmp_path) as node:
        client = client_of(node)

        await client.send(AlterShareGroupOffsetsRequest(group_id="none", topics=[]))
        unknown = await alter(client, (0, 1), name="nope", group_id="unknown")
        await alter(client, (5, 1), group_id="beyond")
        await alter(client, group_id="no partition")

        assert errors(unknown) == [(0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
        listed = await client.send(ListGroupsRequest())
        assert [each.group_id for each in listed.groups] == ["beyond", "no partition"]


async def test_share_partitions_without_an_offset_have_minus_one(tmp_path: Path) -> None:
    """Also those of a group or a topic that does not exist."""
    async with running_node(tmp_path) as node:
        client = client_of(node)

        found = await described(client, {"t": [0], "nope": [0]})

        assert found == {("t", 0): (-1, -1), ("nope", 0): (-1, -1)}
        assert await described(client) == await described(client, {}) == {}


async def test_a_share_partition_has_the_epoch_of_its_leader(tmp_path: Path) -> None:
    """Of the one that has read the state last."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        await alter(client, (0, 1))
        topic = node.controller.image.topic("t")
        assert topic is not None
        key = SharePartitionKey("g", topic.topic_id, 0)
        node.node.share_groups.coordinator.read(key, 5, lambda _: None)
        group = DescribeShareGroupOffsetsRequestGroup(group_id="g", topics=None)
        response = await client.send(DescribeShareGroupOffsetsRequest(groups=[group]))
        assert response.groups[0].topics[0].partitions[0].leader_epoch == 5


async def test_the_end_is_that_of_the_leader(tmp_path: Path) -> None:
    """The coordinator of the group asks other nodes."""
    async with running_cluster(tmp_path, 3) as cluster:
        prepared(cluster, replication_factor=1, partitions=3)
        await trio.sleep(1)
        coordinator = 0
        for node_id in (1, 2, 3):
            client = cluster.client(node_id)
            await client.send(produce_request("t", *[batch(b"x")] * 3), PRODUCE_VERSION)
            if not (await alter(client, (0, 0), (1, 0), (2, 0))).error_code:
                coordinator = node_id

        found = await described(cluster.client(coordinator))

    assert found == {("t", index): (0, 1) for index in range(3)}


async def test_a_partition_without_a_leader_has_an_error(tmp_path: Path) -> None:
    """Its start offset is not described either, but that of another partition is."""
    async with running_cluster(tmp_path, 3) as cluster:
        prepared(cluster, replication_factor=1, partitions=3)
        await trio.sleep(1)
        partitions = cluster.controller.image.topics["t"].partitions
        led_by = {partition.leader: index for index, partition in enumerate(partitions)}
        [coordinator] = [
            node_id
            for node_id in (1, 2, 3)
            if not (await alter(cluster.client(node_id), (0, 0), (1, 0), (2, 0))).error_code
        ]
        stopped = coordinator % 3 + 1
        await cluster.cluster.stop(stopped)
        await trio.sleep(1)

        indexes = [led_by[coordinator], led_by[stopped]]
        topic = DescribeShareGroupOffsetsRequestTopic(topic_name="t", partitions=indexes)
        group = DescribeShareGroupOffsetsRequestGroup(group_id="g", topics=[topic])
        request = DescribeShareGroupOffsetsRequest(groups=[group])
        response = await cluster.client(coordinator).send(request)

    [found] = response.groups[0].topics
    kept, lost = found.partitions
    assert (kept.error_code, kept.start_offset, kept.lag) == (0, 0, 0)
    assert (lost.error_code, lost.start_offset, lost.lag) == (ErrorCode.LEADER_NOT_AVAILABLE, 0, -1)


async def test_a_group_with_members_is_not_changed(tmp_path: Path) -> None:
    """The whole request is refused, until the last member has left."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        await join(client)

        altered, deleted = await alter(client, (0, 1)), await delete(client, "t")

        assert altered.error_code == deleted.error_code == ErrorCode.NON_EMPTY_GROUP
        assert altered.error_message == "The group is not empty."
        await join(client, -1)
        assert (await alter(client, (0, 1))).error_code == 0


async def test_an_altered_offset_fences_the_state_before(tmp_path: Path) -> None:
    """Its state epoch is that of the group, which has changed since then."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        await join(client)
        await trio.sleep(0.1)
        await join(client, -1)
        await alter(client, (0, 7))

        coordinator = node.node.share_groups.coordinator
        found = {
            key.partition: (state.state_epoch, state.start_offset)
            for each in coordinator.states.values()
            for key, state in each.states.items()
        }

        assert found == {0: (3, 7), 1: (2, -1)}


async def test_altered_partitions_are_as_in_the_request(tmp_path: Path) -> None:
    """Together by topic; unknown topics come first, and only with partitions, as in Kafka."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        topics = [
            AlterShareGroupOffsetsRequestTopic(
                topic_name=name,
                partitions=[
                    AlterShareGroupOffsetsRequestPartition(partition_index=index, start_offset=each)
                    for each, index in enumerate(indexes)
                ],
            )
            for name, indexes in (("t", [0]), ("nope", []), ("u", [1, 1]), ("t", [7, 0]))
        ]

        response = await client.send(AlterShareGroupOffsetsRequest(group_id="g", topics=topics))

        assert [
            (topic.topic_name, [each.partition_index for each in topic.partitions])
            for topic in response.responses
        ] == [("u", [1, 1]), ("t", [0, 7, 0])]
        assert await described(client) == {("t", 0): (1, -1)}


async def test_a_negative_partition_fails_the_whole_request(tmp_path: Path) -> None:
    """The group is created, and none of its offsets is set; the message is Kafka's."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        topic_id = uuid_text(node.controller.image.topics["t"].topic_id)

        response = await alter(client, (0, 3), (-7, 1), (-1, 1), (9, 1))

        assert (response.error_code, response.responses) == (ErrorCode.UNKNOWN_SERVER_ERROR, [])
        assert response.error_message == (
            f"Initialize share group parameters has invalid partitionId - g {topic_id} -1"
        )
        assert await described(client) == {}
        listed = await client.send(ListGroupsRequest())
        assert [each.group_id for each in listed.groups] == ["g"]


async def test_a_negative_partition_of_an_unknown_topic(tmp_path: Path) -> None:
    """It is refused as the other partitions of the topic are."""
    async with running_node(tmp_path) as node:
        response = await alter(client_of(node), (-1, 0), (0, 0), name="unknown")

        [topic] = response.responses
        errors = {each.error_code for each in topic.partitions}
        assert errors == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


async def test_described_topics_that_exist_come_first_and_once(tmp_path: Path) -> None:
    """Others are as in the request. A partition that does not exist has no offset."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        topics = [
            DescribeShareGroupOffsetsRequestTopic(topic_name=name, partitions=indexes)
            for name, indexes in (("x", [0, 0]), ("t", [1, 7]), ("x", []), ("t", [0, 1]))
        ]
        group = DescribeShareGroupOffsetsRequestGroup(group_id="g", topics=topics)

        response = await client.send(DescribeShareGroupOffsetsRequest(groups=[group]))

        (found,) = response.groups
        assert [
            (topic.topic_name, [each.partition_index for each in topic.partitions])
            for topic in found.topics
        ] == [("t", [1, 7, 0]), ("x", [0, 0]), ("x", [])]
        assert all(each.error_code == 0 for topic in found.topics for each in topic.partitions)


@pytest.mark.parametrize(("group_id", "partitions"), [("g", []), ("g", [0, -1]), ("", [0])])
async def test_share_partitions_that_cannot_be_read_fail_their_group(
    tmp_path: Path, group_id: str, partitions: list[int]
) -> None:
    """Not those of an unknown topic, which are not read (Kafka's ``DefaultStatePersister``)."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        errors = []
        for name in ("t", "nope"):
            topic = DescribeShareGroupOffsetsRequestTopic(topic_name=name, partitions=partitions)
            group = DescribeShareGroupOffsetsRequestGroup(group_id=group_id, topics=[topic])
            response = await client.send(DescribeShareGroupOffsetsRequest(groups=[group]))
            errors.append((response.groups[0].error_code, len(response.groups[0].topics)))

    assert errors == [(ErrorCode.UNKNOWN_SERVER_ERROR, 0), (ErrorCode.NONE, 1)]


async def test_only_a_deleted_topic_is_in_the_response_once(tmp_path: Path) -> None:
    """Others are as often as in the request."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        await alter(client, (0, 1))

        responses = [await delete(client, "t", "nope", "t", "nope") for _ in range(2)]

    assert [[each.topic_name for each in response.responses] for response in responses] == [
        ["t", "nope", "nope"],
        ["t", "nope", "t", "nope"],
    ]


async def test_states_of_topics_are_deleted(tmp_path: Path) -> None:
    """A topic without a state is an error of its own."""
    async with running_node(tmp_path) as node:
        client = client_of(node)
        await alter(client, (0, 1))

        first, second = await delete(client, "t", "nope"), await delete(client, "t")

        topic = node.controller.image.topics["t"]
        found = [(each.topic_id, each.error_code, each.error_message) for each in first.responses]
        assert found == [
            (topic.topic_id, 0, None),
            (ZERO_UUID, 3, "This server does not host this topic-partition."),
        ]
        (again,) = second.responses
        assert again.error_message == "There is no offset information to delete."
        assert await described(client) == {}


@pytest.mark.parametrize(
    ("group_id", "error"),
    [("", ErrorCode.INVALID_GROUP_ID), ("x", ErrorCode.GROUP_ID_NOT_FOUND)],
)
async def test_offsets_of_an_unknown_group_are_not_deleted(
    tmp_path: Path, group_id: str, error: ErrorCode
) -> None:
    """The whole request is refused."""
    async with running_node(tmp_path) as node:
        response = await delete(client_of(node), "t", group_id=group_id)

    assert response.error_code == error
