"""Open transactions, hanging transactions and their abort."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.admin.cluster_facts import ClusterFacts
from broker.admin.facts.transactions import (
    abort_transaction,
    hanging_transactions,
    open_transactions,
)
from broker.common.errors import WrongState
from broker.common.topic_partition import TopicPartition
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.transactions.state_topic import transaction_state_topic
from tests.broker.api.handlers.records.test_read_committed import begin
from tests.broker.api.handlers.transactions.transactional_producer import transactional_producer
from tests.broker.scenarios.three_nodes import three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer
from tests.client import running_node

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


async def test_an_open_transaction_has_its_state_and_partitions(tmp_path: Path) -> None:
    """It is no longer listed when it has ended; it does not hang."""
    async with three_nodes(tmp_path, transaction_state_log_num_partitions="1") as nodes:
        producer = TransactionalProducer(nodes)
        await producer.init()
        await producer.produce(KEY, b"a")
        facts = ClusterFacts(nodes.cluster)

        [found] = facts.transactions(hanging=False, limit=10)["transactions"]

        assert (found["transactional_id"], found["state"]) == ("billing", "Ongoing")
        assert (found["producer_id"], found["node"]) == (
            producer.producer_id,
            producer.coordinator(),
        )
        assert found["partitions"] == [{"topic": "t", "partition": 0, "has_marker": False}]
        assert found["markers_outstanding"] == 0
        assert facts.transactions(hanging=True, limit=10) == {"transactions": []}
        with pytest.raises(WrongState, match="does not hang"):
            await facts.abort_transaction("t", 0, producer.producer_id)

        await producer.end(commit=True)
        await producer.completed()

        assert facts.transactions(hanging=False, limit=10) == {"transactions": []}


async def test_a_prepared_transaction_has_its_outstanding_markers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two partitions has its marker."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0, 1]))
        entry = node.node.transactions.metadata_of("billing")
        monkeypatch.setattr(node.node.marker_channel, "add_markers", lambda _: None)
        await producer.end(commit=True)
        entry.without_marker.remove(TopicPartition("a", 1))

        [found] = open_transactions([node.node], 10)

        assert (found["state"], found["markers_outstanding"]) == ("PrepareCommit", 1)
        assert [each["has_marker"] for each in found["partitions"]] == [False, True]


async def test_a_transaction_that_no_coordinator_knows_hangs_until_it_is_aborted(
    tmp_path: Path,
) -> None:
    """The abort marker moves the last stable offset."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        begin(node)
        nodes, image = [node.node], node.controller.image
        log = node.node.replicas.partitions[KEY].log

        [found] = hanging_transactions(nodes, image, 10)

        assert (found["topic"], found["partition"], found["producer_id"]) == ("t", 0, 7)
        assert (found["producer_epoch"], found["first_offset"]) == (0, 0)
        assert log.last_stable_offset == 0
        assert await abort_transaction(nodes, image, KEY, 7) == found
        assert log.last_stable_offset == 3
        assert hanging_transactions(nodes, image, 10) == []
        with pytest.raises(WrongState, match="has no open transaction"):
            await abort_transaction(nodes, image, KEY, 7)
        with pytest.raises(WrongState, match="no running leader"):
            await abort_transaction(nodes, image, TopicPartition("u", 0), 7)


async def test_without_a_coordinator_it_is_not_known_what_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the partition of the state topic."""
    async with running_node(tmp_path) as node:
        ensure_internal_topic(node.controller, transaction_state_topic(node.node.config))
        monkeypatch.setattr(node.node.transactions.states, "partitions", lambda: [0, 2, 3])

        with pytest.raises(WrongState, match="partition 1 of __transaction_state has no coord"):
            hanging_transactions([node.node], node.controller.image, 10)
