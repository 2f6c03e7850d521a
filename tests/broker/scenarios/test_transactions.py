"""Transactions over three nodes: the leaders of their partitions and their coordinator differ."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from broker.controller.partitions.partition_change import Election
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from tests.broker.scenarios.three_nodes import (
    NODES,
    ThreeNodes,
    fetched,
    pass_ms,
    settle,
    three_nodes,
)
from tests.broker.scenarios.transactional_client import (
    TransactionalProducer,
    leader,
    markers,
    read_committed,
    state_partition,
    stop,
)
from tests.requests import FETCH_VERSION, fetch_request

pytestmark = pytest.mark.anyio

# Partition n of topic ``u`` is led by node n + 1.
ON_1, ON_2, ON_3 = (TopicPartition("u", index) for index in range(3))
ALL = (ON_1, ON_2, ON_3)


@asynccontextmanager
async def nodes(tmp_path: Path, **config: str) -> AsyncIterator[ThreeNodes]:
    """Three nodes, and a topic with a leader on each of them."""
    config.setdefault("transaction_state_log_num_partitions", "3")
    async with three_nodes(tmp_path, 1, 3, None, **config) as made:
        assignments = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
        made.controller.create_topic("u", assignments=assignments)
        await settle()
        yield made


async def move(made: ThreeNodes, key: TopicPartition, node_id: int) -> None:
    """Make a replica the leader of a partition."""
    topic = made.controller.topic(key.topic)
    assert topic is not None
    others = [n for n in topic.partitions[key.partition].replicas if n != node_id]
    made.controller.reassign(key, [node_id, *others])
    finish(made.controller.elect_leaders(Election.PREFERRED, [key]))
    await settle()
    assert leader(made, key) == node_id


def other_than(node_id: int) -> int:
    """Another node."""
    return min(n for n in NODES if n != node_id)


@pytest.mark.parametrize("commit", [True, False])
async def test_a_transaction_ends_in_the_partitions_of_all_leaders(
    tmp_path: Path, commit: bool
) -> None:
    """Each replica has one marker, and readers see all records or none."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        for key in ALL:
            await producer.produce(key, b"%d" % key.partition)
        assert [await read_committed(made, key) for key in ALL] == [[], [], []]

        assert await producer.end(commit=commit) is ErrorCode.NONE

        assert await producer.completed() == ("CompleteCommit" if commit else "CompleteAbort")
        await pass_ms(1000)
        kind = "commit" if commit else "abort"
        for key in ALL:
            assert await read_committed(made, key) == ([b"%d" % key.partition] if commit else [])
            assert [markers(made, node_id, key) for node_id in NODES] == [[kind]] * 3


async def test_a_producer_has_one_transaction_after_the_other(tmp_path: Path) -> None:
    """Readers see the records of those that were committed, in order."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()

        for number in range(9):
            await producer.transaction(ON_2, b"%d" % number, commit=bool(number % 3))

        await producer.completed()
        await settle()
        assert await read_committed(made, ON_2) == [b"1", b"2", b"4", b"5", b"7", b"8"]


async def test_transactions_of_several_producers_do_not_affect_each_other(tmp_path: Path) -> None:
    """An open one holds back the later ones."""
    async with nodes(tmp_path) as made:
        slow, fast = TransactionalProducer(made, "slow"), TransactionalProducer(made, "fast")
        await slow.init()
        await fast.init()
        await slow.produce(ON_1, b"slow")
        await fast.transaction(ON_1, b"fast")
        await fast.completed()
        assert await read_committed(made, ON_1) == []

        await slow.end(commit=False)

        await slow.completed()
        await settle()
        assert await read_committed(made, ON_1) == [b"fast"]


async def test_the_end_is_decided_before_the_markers_are_written(tmp_path: Path) -> None:
    """A follower that does not fetch delays its partition, and the next transaction."""
    async with nodes(tmp_path, transaction_state_log_replication_factor="1") as made:
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.produce(ON_1, b"a")
        made.cluster.pause(other_than(producer.coordinator()))
        pending = await producer.begin_to_end(commit=True)
        await pass_ms(100)
        assert pending.response.error_code == ErrorCode.NONE
        assert await producer.state() == "PrepareCommit"

        made.cluster.resume(other_than(producer.coordinator()))
        await pass_ms(1000)

        assert await producer.state() == "CompleteCommit"
        assert await read_committed(made, ON_1) == [b"a"]


async def test_the_coordinator_moves_in_an_open_transaction(tmp_path: Path) -> None:
    """The next one continues it."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.produce(ON_1, b"a")
        key = state_partition(made, producer.transactional_id)

        await move(made, key, other_than(producer.coordinator()))
        await producer.produce(ON_2, b"b")
        assert await producer.end(commit=True) is ErrorCode.NONE

        assert await producer.completed() == "CompleteCommit"
        await settle()
        assert await read_committed(made, ON_1) == [b"a"]
        assert await read_committed(made, ON_2) == [b"b"]


@pytest.mark.parametrize("commit", [True, False])
async def test_the_coordinator_moves_while_markers_are_outstanding(
    tmp_path: Path, commit: bool
) -> None:
    """The next one writes all of them again; the decision stays."""
    async with nodes(tmp_path, transaction_state_log_num_partitions="1") as made:
        made.controller.create_topic(TRANSACTION_STATE_TOPIC, assignments=[(1, 3)])
        await settle()
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.produce(ON_1, b"a")
        await producer.produce(ON_3, b"c")
        made.cluster.pause(2)  # a replica of both partitions, and none of the state topic
        pending = await producer.begin_to_end(commit=commit)
        await pass_ms(200)
        assert pending.response.error_code == ErrorCode.NONE
        assert await producer.state() == ("PrepareCommit" if commit else "PrepareAbort")

        await move(made, TopicPartition(TRANSACTION_STATE_TOPIC, 0), 3)
        await pass_ms(200)
        made.cluster.resume(2)
        await pass_ms(2000)

        assert await producer.completed() == ("CompleteCommit" if commit else "CompleteAbort")
        kind = "commit" if commit else "abort"
        assert set(markers(made, 1, ON_1)) == set(markers(made, 3, ON_3)) == {kind}
        assert len(markers(made, 1, ON_1)) == 2
        assert await read_committed(made, ON_1) == ([b"a"] if commit else [])
        assert await read_committed(made, ON_3) == ([b"c"] if commit else [])


async def test_the_coordinator_stops_in_an_open_transaction(tmp_path: Path) -> None:
    """The producer commits at the next one, also what the stopped node led."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        for key in ALL:
            await producer.produce(key, b"%d" % key.partition)

        await stop(made, producer.coordinator())
        assert await producer.end(commit=True) is ErrorCode.NONE

        assert await producer.completed() == "CompleteCommit"
        await pass_ms(1000)
        for key in ALL:
            assert await read_committed(made, key) == [b"%d" % key.partition]


async def test_a_leader_stops_before_it_has_its_marker(tmp_path: Path) -> None:
    """The next leader of the partition gets it."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        stopping = other_than(producer.coordinator())
        key = ALL[stopping - 1]
        await producer.produce(key, b"a")

        await stop(made, stopping)
        assert await producer.end(commit=True) is ErrorCode.NONE

        assert await producer.completed() == "CompleteCommit"
        await pass_ms(1000)
        assert await read_committed(made, key) == [b"a"]


async def test_a_partition_without_leader_gets_its_marker_later(tmp_path: Path) -> None:
    """When its only replica has started again."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        stopping = other_than(producer.coordinator())
        made.controller.create_topic("one", assignments=[(stopping,)])
        await settle()
        key = TopicPartition("one", 0)
        await producer.produce(key, b"a")
        await stop(made, stopping)
        assert await producer.end(commit=True) is ErrorCode.NONE
        await pass_ms(1000)
        assert await producer.state() == "PrepareCommit"

        await made.cluster.start(stopping)
        await pass_ms(1000)

        assert await producer.completed() == "CompleteCommit"
        assert await read_committed(made, key) == [b"a"]


async def test_a_deleted_topic_does_not_hold_back_the_end(tmp_path: Path) -> None:
    """It needs no marker."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.produce(ON_1, b"a")
        await producer.produce(TopicPartition("t", 0), b"a")
        made.controller.delete_topic("t")
        await settle()

        assert await producer.end(commit=True) is ErrorCode.NONE

        assert await producer.completed() == "CompleteCommit"


async def test_a_new_session_aborts_the_open_transaction(tmp_path: Path) -> None:
    """The producer of the earlier session is fenced."""
    async with nodes(tmp_path) as made:
        first, second = TransactionalProducer(made), TransactionalProducer(made)
        await first.init()
        await first.produce(ON_1, b"first")

        assert await second.init() is ErrorCode.NONE

        assert await first.produce(ON_1, b"late") is ErrorCode.INVALID_PRODUCER_EPOCH
        assert await first.produce(ON_2, b"late") is ErrorCode.INVALID_PRODUCER_EPOCH
        await second.transaction(ON_1, b"second")
        await second.completed()
        await settle()
        assert await read_committed(made, ON_1) == [b"second"]
        assert await read_committed(made, ON_2) == []


async def test_clients_of_protocol_1_add_partitions_and_keep_their_epoch(tmp_path: Path) -> None:
    """The leader verifies the first batch of each transaction."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        for number in range(3):
            assert await producer.add_partitions(ON_1, ON_2) == {ErrorCode.NONE}
            for key in (ON_1, ON_2):
                value = b"%d" % number
                assert await producer.produce(key, value, version=9) is ErrorCode.NONE
            assert await producer.end(commit=number != 1, version=3) is ErrorCode.NONE

        assert await producer.completed() == "CompleteCommit"
        await settle()
        assert producer.epoch == 0
        assert await read_committed(made, ON_1) == [b"0", b"2"]
        assert await read_committed(made, ON_2) == [b"0", b"2"]


@pytest.mark.parametrize(
    ("version", "error"),
    [(9, ErrorCode.INVALID_TXN_STATE), (11, ErrorCode.TRANSACTION_ABORTABLE)],
)
async def test_a_partition_that_was_not_added_is_refused(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """No transaction is left open in it."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.add_partitions(ON_1)

        assert await producer.produce(ON_2, b"a", version=version) is error

        assert made.running.node(2).replicas.partitions[ON_2].log.log_end_offset == 0


async def test_markers_are_written_again_until_they_are_replicated(tmp_path: Path) -> None:
    """Every request.timeout.ms; the first one has ended the transaction."""
    config = {
        "request_timeout_ms": "6000",
        "replica_lag_time_max_ms": "60000",
        "transaction_state_log_num_partitions": "1",
    }
    async with nodes(tmp_path, **config) as made:
        made.controller.create_topic(TRANSACTION_STATE_TOPIC, assignments=[(1, 3)])
        await settle()
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.produce(ON_1, b"a")
        made.cluster.pause(2)
        await producer.begin_to_end(commit=True)
        await pass_ms(13_000)
        assert markers(made, 1, ON_1) == ["commit"] * 3

        made.cluster.resume(2)
        await pass_ms(1000)

        assert await producer.completed() == "CompleteCommit"
        assert await read_committed(made, ON_1) == [b"a"]


async def test_a_fetch_of_committed_records_is_completed_by_the_marker(tmp_path: Path) -> None:
    """It waits at the last stable offset."""
    async with nodes(tmp_path) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.produce(ON_1, b"a")
        body = fetch_request("u", 0, max_wait_ms=30_000)
        body.isolation_level = 1
        pending = await made.send(body, FETCH_VERSION, 1)
        await pass_ms(1000)
        assert not pending.has_arrived

        await producer.end(commit=True)
        await pass_ms(100)

        assert fetched(pending)[0][1][0] == b"a"
