"""Each change of a state that clients can wait for ends their waits, without polling."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import trio

from broker.admin.cluster_facts import ClusterFacts
from broker.admin.conditions.table import read_condition
from broker.admin.facts.json_object import JsonObject
from broker.admin.query import Query
from broker.admin.wait import wait_until
from broker.common.topic_partition import TopicPartition
from protocol.consumer_protocol import (
    ConsumerProtocolSubscription,
    write_assignment,
    write_subscription,
)
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.metadata import MetadataRequest
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.broker.scenarios.three_nodes import ThreeNodes, pass_ms, settle, three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer

pytestmark = pytest.mark.anyio

_DAY_MS = 86_400_000


class Waits:
    """Waits for conditions in a cluster of three nodes."""

    def __init__(self, nodes: ThreeNodes, nursery: trio.Nursery) -> None:
        self.nodes = nodes
        self.facts = ClusterFacts(nodes.cluster)
        self._nursery = nursery

    async def begin(self, parameters: str) -> list[JsonObject]:
        """Wait until the condition holds; the finding is added to the list that is returned."""
        found: list[JsonObject] = []
        condition = read_condition(Query(parse_qsl(parameters)))

        async def wait() -> None:
            timer = self.nodes.cluster.timer
            found.append(await wait_until(condition, self.facts, timer, _DAY_MS))

        self._nursery.start_soon(wait)
        await settle()
        return found


@asynccontextmanager
async def waits(tmp_path: Path) -> AsyncIterator[Waits]:
    """A cluster of three nodes whose internal topics have one partition."""
    async with (
        three_nodes(
            tmp_path,
            offsets_topic_num_partitions="1",
            transaction_state_log_num_partitions="1",
            group_initial_rebalance_delay_ms="0",
        ) as nodes,
        trio.open_nursery() as nursery,
    ):
        yield Waits(nodes, nursery)
        nursery.cancel_scope.cancel()


async def coordinator(nodes: ThreeNodes) -> int:
    """The node that coordinates the group g."""
    find = FindCoordinatorRequest(key_type=0, coordinator_keys=["g"])
    for _ in range(100):
        pending = await nodes.send(find, 4)
        [found] = pending.response.coordinators
        if not found.error_code:
            return int(found.node_id)
        await pass_ms(10)
    raise AssertionError("no coordinator")


async def test_a_commit_ends_a_wait_when_it_is_replicated(tmp_path: Path) -> None:
    """With the lag that the condition allows, and not before."""
    async with waits(tmp_path) as made:
        nodes = made.nodes
        await nodes.produce(b"a", b"b", b"c")
        node_id = await coordinator(nodes)
        lag = await made.begin("for=committed&group=g&topic=t")
        offset = await made.begin("for=committed&group=g&topic=t&offset=2")
        for each in (2, 3):
            partition = OffsetCommitRequestPartition(
                partition_index=0, committed_offset=each, committed_metadata=""
            )
            topics = [OffsetCommitRequestTopic(name="t", partitions=[partition])]
            commit = OffsetCommitRequest(group_id="g", member_id="", topics=topics)
            await nodes.send(commit, 9, node_id)
            await settle()
            assert (len(offset), len(lag)) == (1, each - 2)

        [committed] = lag[0]["offsets"]
        assert (committed["offset"], committed["lag"]) == (3, 0)


async def test_an_assignment_of_the_classic_protocol_ends_a_wait(tmp_path: Path) -> None:
    """When the leader of the group has sent it."""
    async with waits(tmp_path) as made:
        nodes = made.nodes
        node_id = await coordinator(nodes)
        found = await made.begin("for=assigned&group=g&topic=t")
        client = nodes.client(node_id)
        subscription = write_subscription(ConsumerProtocolSubscription(topics=["t"]), 1)
        protocol = JoinGroupRequestProtocol(name="range", metadata=subscription)
        join = JoinGroupRequest(
            group_id="g",
            session_timeout_ms=10_000,
            rebalance_timeout_ms=10_000,
            member_id="",
            protocol_type="consumer",
            protocols=[protocol],
        )
        joined = (await nodes.send(join, 3, client=client)).response
        assert found == []
        assigned = SyncGroupRequestAssignment(
            member_id=joined.member_id, assignment=write_assignment({"t": [0]}, 1)
        )
        sync = SyncGroupRequest(
            group_id="g",
            generation_id=joined.generation_id,
            member_id=joined.member_id,
            assignments=[assigned],
        )
        await nodes.send(sync, 3, client=client)
        await settle()

        [member] = found[0]["group"]["members"]
        assert member["assignment"] == {"t": [0]}


async def test_an_assignment_of_the_consumer_protocol_ends_a_wait(tmp_path: Path) -> None:
    """When the coordinator has computed it and the member has its epoch."""
    async with waits(tmp_path) as made:
        node_id = await coordinator(made.nodes)
        found = await made.begin("for=assigned&group=g&partitions=1")
        member: dict[str, Any] = {"group_id": "g", "member_id": "m", "rebalance_timeout_ms": 1000}
        heartbeat = ConsumerGroupHeartbeatRequest(
            **member, member_epoch=0, subscribed_topic_names=["t"], topic_partitions=[]
        )
        await made.nodes.send(heartbeat, 1, node_id)
        await settle()

        [member] = found[0]["group"]["members"]
        assert member["assignment"] == {"t": [0]}


async def test_the_end_of_a_transaction_ends_a_wait_for_the_stable_offset(tmp_path: Path) -> None:
    """When its marker is replicated."""
    async with waits(tmp_path) as made:
        producer = TransactionalProducer(made.nodes)
        await producer.init()
        await producer.produce(TopicPartition("t", 0), b"a")
        await settle()
        found = await made.begin("for=lso&topic=t")
        await pass_ms(1000)
        assert found == []

        await producer.end(commit=True)
        await producer.completed()
        await settle()

        [partition] = found[0]["partitions"]
        assert partition["last_stable_offset"] == 2


async def test_metadata_that_arrives_ends_a_wait_for_a_topic(tmp_path: Path) -> None:
    """At the last node; the same holds for its deletion."""
    async with waits(tmp_path) as made:
        nodes = made.nodes
        known = await made.begin("for=topic&topic=u&partitions=2")
        feed = nodes.running.node(3).feed
        feed.hold()
        nodes.controller.create_topic("u", assignments=[(1, 2), (2, 1)])
        await settle()
        assert known == []
        feed.release()
        await settle()
        assert known[0]["topic"]["name"] == "u"

        deleted = await made.begin("for=topic_deleted&topic=u")
        feed.hold()
        nodes.controller.delete_topic("u")
        await settle()
        assert deleted == []
        feed.release()
        await settle()
        assert deleted == [{"topic": None}]


async def test_a_stopped_node_needs_not_know_a_topic(tmp_path: Path) -> None:
    """Its stop ends the wait."""
    async with waits(tmp_path) as made:
        made.nodes.running.node(3).feed.hold()
        made.nodes.controller.create_topic("u", assignments=[(1, 2)])
        found = await made.begin("for=topic&topic=u")
        assert found == []

        await made.nodes.cluster.stop(3)
        await settle()

        assert found


async def test_connections_that_begin_and_end_end_waits(tmp_path: Path) -> None:
    """The first request of a connection has its client id; a disconnect is noticed at once."""
    async with waits(tmp_path) as made:
        connected = await made.begin("for=client_connected&client=test")
        client = made.nodes.client(2)
        await settle()
        assert connected == []
        await client.send(MetadataRequest(topics=None))
        await settle()
        assert [each["node"] for each in connected[0]["connections"]] == [2]

        gone = await made.begin("for=client_gone&client=test")
        assert gone == []
        client.close()
        await settle()
        assert gone == [{"connections": []}]


async def test_requests_since_a_mark_end_a_wait(tmp_path: Path) -> None:
    """A request counts when it has begun, even if it waits for its response."""
    async with waits(tmp_path) as made:
        await made.nodes.fetch(0)
        mark = made.facts.mark()
        found = await made.begin(f"for=requests&api=Fetch&client=test&since={mark}&count=2")
        await made.nodes.fetch(0)
        assert found == []

        waiting = await made.nodes.fetch(0, max_wait_ms=60_000)

        assert not waiting.has_arrived
        assert found == [{"count": 2}]
