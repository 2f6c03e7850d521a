"""Events to which the clock of a cluster is moved."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from broker.clock_control import events
from broker.common.errors import WrongState
from broker.common.topic_partition import TopicPartition
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tests.batches import batch
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.broker.clock_control.running_control import control_of
from tests.client import EPOCH_MS, running_cluster, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

ORDERS = TopicPartition("orders", 0)


async def test_a_session_ends(tmp_path: Path) -> None:
    """The member is removed when its session has expired, and no later."""
    join = ConsumerGroupHeartbeatRequest(
        group_id="g",
        member_id="m",
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["t"],
        topic_partitions=[],
    )
    async with running_cluster(tmp_path, 1, offsets_topic_num_partitions="1") as cluster:
        ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
        control, nodes = control_of(cluster), cluster.cluster.nodes
        control.freeze()
        joined = await cluster.client(1).send(join, 1)
        assert joined.error_code == ErrorCode.NONE

        advance = await control.advance_to(events.session_end(nodes, "m", "g"), 100)

        assert advance.duration_ms == pytest.approx(45_000, abs=2)
        assert [each.task for each in advance.steps[-1].tasks] == ["CoordinatorTimeout g m session"]


async def test_a_member_without_a_session_is_refused(tmp_path: Path) -> None:
    """With its id."""
    async with running_cluster(tmp_path, 1) as cluster:
        with pytest.raises(WrongState, match="no session of member m is running"):
            events.session_end(cluster.cluster.nodes, "m", None)


async def test_a_transaction_times_out(tmp_path: Path) -> None:
    """It is aborted at the check after its timeout."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))
        control, nodes = control_of(node), node.cluster.nodes
        control.freeze()

        advance = await control.advance_to(events.transaction_timeout(nodes, ID), 100)

        assert 60_000 <= advance.duration_ms <= 71_000
        with pytest.raises(WrongState, match="transaction billing is not open"):
            events.transaction_timeout(nodes, ID)


async def test_a_parked_request_times_out(tmp_path: Path) -> None:
    """The one that matches and arrived first; others still wait."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("orders", partitions=1)
        control, clients = control_of(node), [node.client(), node.client()]
        control.freeze()
        for client, wait_ms in zip(clients, (9_000, 5_000), strict=True):
            client.start(fetch_request("orders", 0, max_wait_ms=wait_ms), FETCH_VERSION, "c")
            await trio.testing.wait_all_tasks_blocked()
        clients[1].start(fetch_request("orders", 0, max_wait_ms=10**6), FETCH_VERSION, "other")

        found = events.request_timeout(node.cluster.nodes, "Fetch", "c", None)
        advance = await control.advance_to(found, 100)

        assert advance.duration_ms == pytest.approx(9_000, abs=2)
        assert clients[0].connection.in_progress is None
        assert clients[1].connection.in_progress is not None


async def test_a_request_that_is_not_parked_is_refused(tmp_path: Path) -> None:
    """The correlation id is compared as well."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("orders", partitions=1)
        node.client().start(fetch_request("orders", 0, max_wait_ms=9_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        with pytest.raises(WrongState, match="no such request is parked"):
            events.request_timeout(node.cluster.nodes, "Fetch", None, 77)


async def test_retention_deletes_records(tmp_path: Path) -> None:
    """At the check after the oldest segment is too old."""
    async with running_node(tmp_path, log_retention_ms="100000") as node:
        node.controller.create_topic("orders", partitions=1)
        records = produce_request("orders", batch(b"a", timestamp=int(EPOCH_MS)))
        await node.client().send(records, PRODUCE_VERSION)
        control = control_of(node)
        control.freeze()

        advance = await control.advance_to(events.retention(node.cluster.nodes, ORDERS), 100)

        assert 100_000 <= advance.duration_ms <= 100_000 + 300_000
        log = node.node.replicas.partitions[ORDERS].log
        assert log is not None
        assert log.log_start_offset == 1


@pytest.mark.parametrize(
    ("retention_ms", "policy", "values", "words"),
    [
        ("1000", "delete", 0, "orders-0 has no records"),
        ("-1", "delete", 1, "orders-0 keeps its records"),
        ("1000", "compact", 0, "orders-0 keeps its records"),
    ],
)
async def test_retention_that_deletes_nothing_is_refused(
    tmp_path: Path, retention_ms: str, policy: str, values: int, words: str
) -> None:
    """With the reason."""
    async with running_node(
        tmp_path, log_retention_ms=retention_ms, log_cleanup_policy=policy
    ) as node:
        node.controller.create_topic("orders", partitions=1)
        for _ in range(values):
            await node.client().send(produce_request("orders", batch(b"a")), PRODUCE_VERSION)

        with pytest.raises(WrongState, match=words):
            events.retention(node.cluster.nodes, ORDERS)


async def test_a_partition_without_a_leader_is_refused(tmp_path: Path) -> None:
    """As a topic that does not exist."""
    async with running_node(tmp_path) as node:
        with pytest.raises(WrongState, match="orders-0 has no running leader"):
            events.retention(node.cluster.nodes, ORDERS)
