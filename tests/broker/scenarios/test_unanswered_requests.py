"""Requests between nodes about transactions that are not answered within request.timeout.ms.

A leader or coordinator answers when its write is replicated: not while a follower is paused that
stays in sync.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from protocol.errors import ErrorCode
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.header import TRANSACTIONAL_BIT
from tests.batches import batch
from tests.broker.scenarios.three_nodes import ThreeNodes, pass_ms, produced, settle, three_nodes
from tests.broker.scenarios.transactional_client import (
    PRODUCE_VERSION,
    TransactionalProducer,
    markers,
    read_committed,
)

pytestmark = pytest.mark.anyio

REQUEST_TIMEOUT_MS = 6000
PAUSED = 3
# The coordinator is node 1; the paused node has no replica of its log unless a test adds one.
SLOW, QUICK = TopicPartition("slow", 0), TopicPartition("quick", 0)


@asynccontextmanager
async def nodes(tmp_path: Path, state_replicas: tuple[int, ...]) -> AsyncIterator[ThreeNodes]:
    """Three nodes; ``slow`` is led by node 2 and followed by node 3, ``quick`` is on node 1."""
    config = {
        "replica_lag_time_max_ms": "60000",
        "request_timeout_ms": str(REQUEST_TIMEOUT_MS),
        "transaction_state_log_num_partitions": "1",
    }
    async with three_nodes(tmp_path, 1, 3, None, **config) as made:
        made.controller.create_topic(TRANSACTION_STATE_TOPIC, assignments=[state_replicas])
        made.controller.create_topic(SLOW.topic, assignments=[(2, PAUSED)])
        made.controller.create_topic(QUICK.topic, assignments=[(1,)])
        await settle()
        yield made


async def test_the_end_does_not_wait_for_a_leader_that_does_not_answer(tmp_path: Path) -> None:
    """Readers of other partitions see the commit; the next transaction waits for all markers."""
    async with nodes(tmp_path, (1,)) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.produce(SLOW, b"slow")
        await producer.produce(QUICK, b"quick")
        made.cluster.pause(PAUSED)

        pending = await producer.begin_to_end(commit=True)

        assert (pending.response.error_code, pending.after_ms) == (ErrorCode.NONE, 0)
        assert await read_committed(made, QUICK) == [b"quick"]
        assert await read_committed(made, SLOW) == []
        assert await producer.state() == "PrepareCommit"
        again = await producer.begin_to_end(commit=True)
        assert again.response.error_code == ErrorCode.CONCURRENT_TRANSACTIONS
        made.cluster.resume(PAUSED)
        assert await producer.completed() == "CompleteCommit"


async def test_a_marker_is_written_again_each_request_timeout(tmp_path: Path) -> None:
    """After 0, 6 and 12 s, until it is replicated."""
    async with nodes(tmp_path, (1,)) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        await producer.produce(SLOW, b"a")
        made.cluster.pause(PAUSED)
        await producer.begin_to_end(commit=True)
        counts = []
        for _ in range(3):
            await pass_ms(REQUEST_TIMEOUT_MS - 500)
            counts.append(len(markers(made, 2, SLOW)))
            await pass_ms(500)

        made.cluster.resume(PAUSED)

        assert counts == [1, 2, 3]
        assert await producer.completed() == "CompleteCommit"
        assert await read_committed(made, SLOW) == [b"a"]


async def test_a_produce_waits_for_its_coordinator_for_the_request_timeout(tmp_path: Path) -> None:
    """Not for its own; the coordinator may have added the partition, which a retry finds."""
    async with nodes(tmp_path, (1, PAUSED)) as made:
        producer = TransactionalProducer(made)
        await producer.init()
        made.cluster.pause(PAUSED)
        data = batch(
            b"a",
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            base_sequence=0,
            attributes=TRANSACTIONAL_BIT,
        )
        partition = PartitionProduceData(index=0, records=data)
        request = ProduceRequest(
            transactional_id=producer.transactional_id,
            acks=-1,
            timeout_ms=1000,
            topic_data=[TopicProduceData(name=QUICK.topic, partition_data=[partition])],
        )

        late = await made.send(request, PRODUCE_VERSION)
        await pass_ms(REQUEST_TIMEOUT_MS - 10)
        assert not late.has_arrived
        await pass_ms(20)

        assert produced(late) == [(ErrorCode.NOT_ENOUGH_REPLICAS, -1)]
        made.cluster.resume(PAUSED)
        assert await producer.produce(QUICK, b"a") is ErrorCode.NONE
        assert await producer.end(commit=True) is ErrorCode.NONE
