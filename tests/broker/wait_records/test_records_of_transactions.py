"""The records of requests that wait for the coordinator of a transaction, or for markers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from tests.broker.scenarios.three_nodes import ThreeNodes, pass_ms, three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer
from tests.broker.wait_records.records import kept_of

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


@asynccontextmanager
async def _recorded(tmp_path: Path) -> AsyncIterator[tuple[ThreeNodes, TransactionalProducer]]:
    """Three nodes that record, and a producer that has begun its session."""
    async with three_nodes(
        tmp_path, recorder=Recorder, transaction_state_log_num_partitions="1"
    ) as nodes:
        producer = TransactionalProducer(nodes)
        await producer.init()
        yield nodes, producer


async def test_the_coordinator_completes_the_verification_of_a_refused_batch(
    tmp_path: Path,
) -> None:
    """The record names the transaction and the coordinator."""
    async with _recorded(tmp_path) as (nodes, producer):
        producer.producer_id += 1
        assert await producer.produce(KEY, b"a") is ErrorCode.INVALID_PRODUCER_ID_MAPPING

        [record] = kept_of(nodes.running, "Produce")

        assert record["waited_for"] == {
            "kind": "transaction_coordinator",
            "transactional_id": "billing",
            "node": producer.coordinator(),
        }
        assert record["completed_by"] == {"cause": "coordinator"}
        assert record["timeout_ms"] == 30_000


async def test_a_batch_that_is_appended_waits_for_its_replication_last(tmp_path: Path) -> None:
    """The record describes the last wait of the request."""
    async with _recorded(tmp_path) as (nodes, producer):
        await producer.produce(KEY, b"a")

        [record] = kept_of(nodes.running, "Produce")

        assert record["waited_for"]["kind"] == "high_watermark"
        assert record["completed_by"]["cause"] == "high_watermark"


async def test_markers_are_completed_by_the_fetch_of_a_follower(tmp_path: Path) -> None:
    """The coordinator's request names the partitions."""
    async with _recorded(tmp_path) as (nodes, producer):
        await producer.produce(KEY, b"a")
        await producer.end(commit=True)
        await pass_ms(1000)

        sender = f"node-{producer.coordinator()}-txn-marker-sender"
        [record] = kept_of(nodes.running, "WriteTxnMarkers", sender)

        assert record["waited_for"] == {"kind": "markers", "need": 1, "had": 0}
        assert record["completed_by"]["cause"] == "high_watermark"
        assert record["completed_by"]["request"]["api"] == "Fetch"
        [partition] = record["partitions"]
        assert (partition["topic"], partition["partition"]) == ("t", 0)
