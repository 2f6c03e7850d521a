"""A reset of what has a prefix, for tests that run in parallel on one broker."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from broker.common.errors import WrongState
from broker.common.topic_partition import TopicPartition
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.reset.given import Given, GivenTopic
from protocol.errors import ErrorCode
from tests.batches import batch
from tests.broker.api.handlers.transactions.transactional_producer import transactional_producer
from tests.broker.reset.members import (
    JOIN_VERSION,
    commit_request,
    join,
    join_request,
    reset_of,
)
from tests.broker.scenarios.three_nodes import three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer
from tests.client import running_cluster, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


async def test_only_topics_with_the_prefix_are_removed(tmp_path: Path) -> None:
    """Requests that wait for other topics still wait; internal topics stay."""
    async with running_node(tmp_path) as node:
        for name in ("a-1", "a-2", "b-1"):
            node.controller.create_topic(name)
        ensure_internal_topic(node.controller, offsets_topic(node.node.config))
        mine, other = node.client(), node.client()
        mine.start(fetch_request("a-1", 0, max_wait_ms=30_000), FETCH_VERSION)
        other.start(fetch_request("b-1", 0, max_wait_ms=30_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        removed = await reset_of(node).reset("a-")

        assert (removed.topics, removed.parked_requests) == (2, 1)
        assert set(node.controller.image.topics) == {"b-1", "__consumer_offsets"}
        assert (await mine.receive()).responses[0].partitions[0].error_code
        assert other.connection.in_progress is not None


async def test_a_prefix_of_internal_topics_leaves_them(tmp_path: Path) -> None:
    """They hold the groups of other prefixes."""
    async with running_node(tmp_path) as node:
        ensure_internal_topic(node.controller, offsets_topic(node.node.config))

        assert (await reset_of(node).reset("__")).topics == 0
        assert set(node.controller.image.topics) == {"__consumer_offsets"}


async def test_groups_with_the_prefix_lose_members_and_offsets(tmp_path: Path) -> None:
    """Other groups keep theirs, also after a restart."""
    async with running_node(tmp_path, kept=True) as node:
        node.controller.create_topic("t")
        for name in ("a-g", "b-g"):
            await join(node, node.client(), name)
        for name in ("a-h", "b-h"):
            await node.client().send(commit_request(name, "t", 7), 5)

        removed = await reset_of(node).reset("a-")

        assert removed.groups == 2
        assert set(node.node.groups.groups) == {"b-g", "b-h"}

    async with running_node(tmp_path, kept=True) as node:
        assert set(node.node.groups.groups) == {"b-g", "b-h"}
        offsets = node.node.groups.states.offsets.written
        assert offsets.committed("b-h")
        assert not offsets.committed("a-h")


async def test_a_member_that_waits_joins_again(tmp_path: Path) -> None:
    """Its join ends with UNKNOWN_MEMBER_ID."""
    async with running_node(tmp_path) as node:
        first, second = node.client(), node.client()
        await join(node, first, "a-g")
        second.start(join_request("a-g"), JOIN_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        await reset_of(node).reset("a-")

        assert (await second.receive()).error_code == ErrorCode.UNKNOWN_MEMBER_ID
        await join(node, second, "a-g")


async def test_an_open_transaction_is_aborted_and_its_id_removed(tmp_path: Path) -> None:
    """Its markers are in the partitions that stay, so that readers are not held."""
    async with three_nodes(tmp_path, transaction_state_log_num_partitions="1") as nodes:
        producer = TransactionalProducer(nodes)
        await producer.init()
        await producer.produce(KEY, b"a")

        removed = await reset_of(nodes.running).reset("bill")

        assert removed.transactional_ids == 1
        coordinator = nodes.running.node(producer.coordinator()).transactions
        assert not any(coordinator.states.entries(0))
        log = nodes.log_of(1)
        assert log.last_stable_offset == log.log_end_offset == 2


async def test_a_transaction_that_cannot_be_aborted_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is removed then."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))
        monkeypatch.setattr(node.node.marker_channel, "add_markers", lambda _: None)

        with pytest.raises(WrongState, match="transaction billing is not aborted within 5 s"):
            await reset_of(node).reset("")

        assert "a" in node.controller.image.topics


async def test_a_given_topic_with_the_prefix_is_empty(tmp_path: Path) -> None:
    """One without the prefix keeps its records."""
    given = Given((GivenTopic("a-t"), GivenTopic("b-t")))
    async with running_node(tmp_path) as node:
        client = node.client()
        for name in ("a-t", "b-t"):
            node.controller.create_topic(name)
            await client.send(produce_request(name, batch(b"x")), PRODUCE_VERSION)

        removed = await reset_of(node, given).reset("a-")

        logs = {log.topic_partition.topic: log.log_end_offset for log in node.node.logs}
        assert removed.recreated == ["a-t"]
        assert logs == {"a-t": 0, "b-t": 1}


async def test_nodes_quotas_and_the_clock_stay(tmp_path: Path) -> None:
    """They belong to all tests; the configs of groups with the prefix are removed."""
    async with running_cluster(tmp_path, 2) as cluster:
        controller = cluster.controller
        controller.client_quotas.alter((("user", "u"),), {"producer_byte_rate": 1.0})
        for group_id in ("a-g", "b-g"):
            controller.alter_group_configs(
                group_id, lambda _: {"consumer.session.timeout.ms": "50000"}
            )
        cluster.cluster.pause(2)
        cluster.cluster.clock.freeze()

        removed = await reset_of(cluster).reset("a-")

        assert removed.settings == {"configs": 1}
        assert set(controller.image.group_configs) == {"b-g"}
        assert len(controller.image.client_quotas) == 1
        assert cluster.node(2).replication.paused
        assert cluster.cluster.clock.speed == 0
