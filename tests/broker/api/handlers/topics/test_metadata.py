"""Metadata."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from protocol.errors import ErrorCode
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


def _named(*names: str, allow_auto_topic_creation: bool = False) -> MetadataRequest:
    return MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in names],
        allow_auto_topic_creation=allow_auto_topic_creation,
    )


def _errors(response: Any) -> dict[str, int]:
    return {topic.name: topic.error_code for topic in response.topics}


@pytest.mark.parametrize("version", range(14))
async def test_a_topic_and_its_leader(tmp_path: Path, version: int) -> None:
    """The response has the brokers, and the leader of each partition."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)

        response = await node.client().send(_named("t"), version)

        (broker,) = response.brokers
        assert (broker.node_id, broker.host, broker.port) == (1, "127.0.0.1", 9092)
        (topic,) = response.topics
        assert [(p.partition_index, p.leader_id) for p in topic.partitions] == [(0, 1), (1, 1)]


async def test_all_topics_and_no_topics(tmp_path: Path) -> None:
    """In v0 an empty list means all topics; later null does, and an empty list means none."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("a")
        node.controller.create_topic("b")
        client = node.client()

        assert _errors(await client.send(_named(), 0)) == {"a": 0, "b": 0}
        assert _errors(await client.send(_named(), 1)) == {}
        assert _errors(await client.send(MetadataRequest(topics=None), 1)) == {"a": 0, "b": 0}


@pytest.mark.parametrize("version", range(14))
async def test_an_unknown_topic_is_created_for_the_next_request(
    tmp_path: Path, version: int
) -> None:
    """The first response has an error and no partitions, as in Kafka; the second has the topic."""
    async with running_node(tmp_path, num_partitions="3") as node:
        client = node.client()
        request = _named("t", allow_auto_topic_creation=True)

        first = await client.send(request, version)
        second = await client.send(request, version)

        (unknown,) = first.topics
        assert unknown.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert (unknown.name, unknown.partitions) == ("t", [])
        (created,) = second.topics
        assert (created.error_code, len(created.partitions)) == (ErrorCode.NONE, 3)
        assert ("t", 2) in node.node.replicas.partitions


@pytest.mark.parametrize("version", range(14))
async def test_a_request_can_forbid_auto_creation(tmp_path: Path, version: int) -> None:
    """From v4 on; in older versions every request allows it."""
    async with running_node(tmp_path) as node:
        client = node.client()

        await client.send(_named("t"), version)

        assert ("t" in node.controller.image.topics) == (version < 4)


async def test_a_topic_that_cannot_be_created_stays_unknown(tmp_path: Path) -> None:
    """The controller refuses a name that collides with another; its error is not returned."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("a.b")
        client = node.client()

        for _ in range(2):
            response = await client.send(_named("a_b", allow_auto_topic_creation=True))
            assert _errors(response) == {"a_b": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


async def test_an_internal_topic_that_is_unknown(tmp_path: Path) -> None:
    """It is marked as internal, and created with its configs."""
    async with running_node(tmp_path, num_partitions="3") as node:
        names = ("__consumer_offsets", "__transaction_state", "__share_group_state")
        client = node.client()

        response = await client.send(_named(*names, "t", allow_auto_topic_creation=True))

        assert [topic.is_internal for topic in response.topics] == [True, True, True, False]
        created = node.controller.image.topics
        coordinated = {"__consumer_offsets", "__transaction_state"}
        assert created.keys() == {*names, "t"}
        assert [len(created[name].partitions) for name in names] == [4, 4, 4]
        assert {created[name].configs["cleanup.policy"] for name in coordinated} == {"compact"}


async def test_auto_creation_can_be_disabled(tmp_path: Path) -> None:
    """auto.create.topics.enable=false has priority."""
    async with running_node(tmp_path, auto_create_topics_enable="false") as node:
        request = _named("t", allow_auto_topic_creation=True)

        response = await node.client().send(request, 12)

        assert _errors(response) == {"t": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


async def test_an_illegal_name_is_not_created(tmp_path: Path) -> None:
    """The name is refused, the other topic is created."""
    async with running_node(tmp_path) as node:
        request = _named("a b", "t", allow_auto_topic_creation=True)

        response = await node.client().send(request, 12)

        assert _errors(response) == {
            "a b": ErrorCode.INVALID_TOPIC_EXCEPTION,
            "t": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        }
        assert node.controller.image.topics.keys() == {"t"}


async def test_topics_by_id(tmp_path: Path) -> None:
    """From v12 on a request may use ids; v10 and v11 have the field, but refuse it."""
    async with running_node(tmp_path) as node:
        known = node.controller.create_topic("t")
        requested = [
            MetadataRequestTopic(topic_id=known.topic_id, name=None),
            MetadataRequestTopic(topic_id=uuid4(), name=None),
        ]
        client = node.client()

        found, unknown = (await client.send(MetadataRequest(topics=requested), 12)).topics
        requested[0].name = requested[1].name = "x"
        early = await client.send(MetadataRequest(topics=requested), 11)

        assert (found.name, found.error_code) == ("t", 0)
        assert unknown.error_code == ErrorCode.UNKNOWN_TOPIC_ID
        assert {each.error_code for each in early.topics} == {ErrorCode.INVALID_REQUEST}


async def test_a_topic_is_in_the_response_once(tmp_path: Path) -> None:
    """However often it is named; if ids are used, names are ignored."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("u")
        topic_id = node.controller.create_topic("t").topic_id
        by_id = MetadataRequestTopic(topic_id=topic_id, name=None)
        names = [MetadataRequestTopic(name=each) for each in ("t", "u", "t")]

        named = await node.client().send(MetadataRequest(topics=names))
        mixed = await node.client().send(MetadataRequest(topics=[*names, by_id, by_id]))

        assert [each.name for each in named.topics] == ["t", "u"]
        assert [each.name for each in mixed.topics] == ["t"]


async def test_a_topic_with_neither_name_nor_id_is_refused(tmp_path: Path) -> None:
    """From v12 on the name may be null, which differs from an empty name."""
    async with running_node(tmp_path) as node:
        client = node.client()
        request = MetadataRequest(topics=[MetadataRequestTopic(name=None)])

        (nameless,) = (await client.send(request, 13)).topics
        request.topics = [MetadataRequestTopic(name=None, topic_id=uuid4())]
        (early,) = (await client.send(request, 10)).topics

        assert (nameless.error_code, nameless.name) == (ErrorCode.UNKNOWN_SERVER_ERROR, "")
        assert (early.error_code, early.name) == (ErrorCode.INVALID_REQUEST, "")


@pytest.mark.parametrize("version", [8, 10, 13])
async def test_authorized_operations_are_returned_on_request(tmp_path: Path, version: int) -> None:
    """All operations, also for an unknown name; for the cluster in v8 to v10 only."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        request = _named("t", "unknown")
        request.include_topic_authorized_operations = True
        request.include_cluster_authorized_operations = True

        response = await node.client().send(request, version)

        known, unknown = (topic.topic_authorized_operations for topic in response.topics)
        assert (known, unknown) == (
            3576,
            3576,
        )
        of_cluster = 8096 if version <= 10 else -(2**31)
        assert response.cluster_authorized_operations == of_cluster


async def test_an_unknown_id_has_no_authorized_operations(tmp_path: Path) -> None:
    """Kafka authorizes names, and there is none."""
    async with running_node(tmp_path) as node:
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=None, topic_id=uuid4())],
            include_topic_authorized_operations=True,
        )

        (unknown,) = (await node.client().send(request, 13)).topics

        assert unknown.topic_authorized_operations == -(2**31)


async def test_a_stopped_node(tmp_path: Path) -> None:
    """It is not in the brokers; its replicas are offline, or in v0 an error."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("led", assignments=[(2, 3)])
        cluster.controller.create_topic("lost", assignments=[(3,)])
        client = cluster.client(1)
        await cluster.cluster.stop(3)

        now = await client.send(_named("led", "lost"), 13)
        early = await client.send(_named("led", "lost"), 0)

        assert [broker.node_id for broker in now.brokers] == [1, 2]
        led, lost = (topic.partitions[0] for topic in now.topics)
        assert (led.error_code, led.leader_id, led.offline_replicas) == (ErrorCode.NONE, 2, [3])
        assert (lost.error_code, lost.leader_id) == (ErrorCode.LEADER_NOT_AVAILABLE, -1)
        assert (lost.leader_epoch, lost.isr_nodes, lost.replica_nodes) == (1, [], [3])
        led, lost = (topic.partitions[0] for topic in early.topics)
        assert (led.error_code, led.replica_nodes) == (ErrorCode.REPLICA_NOT_AVAILABLE, [2])
        assert (lost.error_code, lost.replica_nodes) == (ErrorCode.LEADER_NOT_AVAILABLE, [])


async def test_each_node_describes_its_own_image(tmp_path: Path) -> None:
    """A node that does not know a topic yet does not create it again."""
    async with running_cluster(tmp_path) as cluster:
        feed = cluster.node(2).feed
        feed.hold()
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        request = _named("t", allow_auto_topic_creation=True)

        early = await cluster.client(2).send(request, 12)
        feed.release()
        late = await cluster.client(2).send(request, 12)

        assert _errors(early) == {"t": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        assert _errors(late) == {"t": ErrorCode.NONE}
