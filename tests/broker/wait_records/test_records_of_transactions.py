"""The records of requests that wait for the coordinator of a transaction, or for markers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from tests.broker.scenarios.three_nodes import PendingResponse, ThreeNodes, pass_ms, three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer, leader
from tests.broker.wait_records.records import kept_of
from tests.requests import FETCH_VERSION, fetch_request

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


async def test_a_first_batch_waits_for_its_verification_and_then_for_its_replication(
    tmp_path: Path,
) -> None:
    """The record has both waits, and their time is not local."""
    async with _recorded(tmp_path) as (nodes, producer):
        await producer.produce(KEY, b"a")

        [record] = kept_of(nodes.running, "Produce")

        [earlier] = record["earlier_waits"]
        assert earlier["waited_for"]["kind"] == "transaction_coordinator"
        assert earlier["completed_by"] == {"cause": "coordinator"}
        assert 0 <= earlier["parked_us"] <= record["parked_us"]
        assert record["local_us"] == 0
        assert record["waited_for"]["kind"] == "high_watermark"
        assert record["completed_by"]["cause"] == "high_watermark"


async def test_the_end_of_a_transaction_waits_for_its_record(tmp_path: Path) -> None:
    """The wait names the decision and the epoch that is written with it."""
    async with _recorded(tmp_path) as (nodes, producer):
        await producer.produce(KEY, b"a")
        epoch = producer.epoch
        await producer.end(commit=True)

        [record] = kept_of(nodes.running, "EndTxn")

        assert record["waited_for"] == {
            "kind": "transaction_state",
            "transactional_id": "billing",
            "state": "PrepareCommit",
            "producer_epoch": epoch + 1,
        }
        assert record["completed_by"]["cause"] == "high_watermark"


async def test_markers_are_completed_by_the_fetch_of_a_follower(tmp_path: Path) -> None:
    """The coordinator's request names the partitions."""
    async with _recorded(tmp_path) as (nodes, producer):
        await producer.produce(KEY, b"a")
        await producer.end(commit=True)
        await pass_ms(1000)

        sender = f"node-{producer.coordinator()}-txn-marker-sender"
        [record] = kept_of(nodes.running, "WriteTxnMarkers", sender)

        assert record["waited_for"] == {
            "kind": "markers",
            "need": 1,
            "had": 0,
            "transaction": {
                "transactional_id": "billing",
                "producer_id": producer.producer_id,
                "producer_epoch": producer.epoch,
                "outcome": "commit",
            },
        }
        assert record["completed_by"]["cause"] == "high_watermark"
        assert record["completed_by"]["request"]["api"] == "Fetch"
        [partition] = record["partitions"]
        assert (partition["topic"], partition["partition"]) == ("t", 0)


async def _read_committed(
    nodes: ThreeNodes, offset: int, max_wait_ms: int = 60_000
) -> PendingResponse:
    body = fetch_request("t", offset, max_wait_ms=max_wait_ms)
    body.isolation_level = 1
    return await nodes.send(body, FETCH_VERSION, leader(nodes, KEY))


@pytest.mark.parametrize("commit", [True, False])
async def test_a_read_committed_fetch_waits_for_the_open_transaction(
    tmp_path: Path, commit: bool
) -> None:
    """The record names the producer, the duration, and the outcome that completes the wait."""
    async with _recorded(tmp_path) as (nodes, producer):
        await producer.produce(KEY, b"a")
        await pass_ms(4200)
        identity = (producer.producer_id, producer.epoch)
        waiting = await _read_committed(nodes, 0)
        await pass_ms(1000)
        assert not waiting.has_arrived
        await producer.end(commit=commit)
        await pass_ms(1000)

        record = kept_of(nodes.running, "Fetch")[-1]

        waited_for, transaction = record["waited_for"], record["waited_for"]["transaction"]
        assert (waited_for["kind"], waited_for["topic"]) == ("transaction", "t")
        assert (waited_for["offset"], waited_for["need"], waited_for["had"]) == (0, 1, 0)
        assert (transaction["transactional_id"], transaction["state"]) == ("billing", "open")
        assert (transaction["producer_id"], transaction["producer_epoch"]) == identity
        assert 4200 <= transaction["held_ms"] < 5200
        ended = record["completed_by"]
        assert ended["cause"] == "transaction"
        assert ended["transaction"]["transactional_id"] == "billing"
        assert ended["transaction"]["outcome"] == ("commit" if commit else "abort")
        assert ended["transaction"]["held_ms"] >= transaction["held_ms"] + 1000
        assert ended["request"]["api"] == "Fetch"
        assert ended["replica"] in (2, 3)


async def test_a_read_committed_fetch_that_times_out_names_the_transaction(tmp_path: Path) -> None:
    """With the state at the end of the wait, although it began before the transaction."""
    async with _recorded(tmp_path) as (nodes, producer):
        await _read_committed(nodes, 0, 5000)
        await pass_ms(1000)
        await producer.produce(KEY, b"a")
        await pass_ms(5000)

        record = kept_of(nodes.running, "Fetch")[-1]

        assert record["completed_by"] == {"cause": "timeout"}
        assert record["waited_for"]["kind"] == "transaction"
        assert 3000 <= record["waited_for"]["transaction"]["held_ms"] <= 4000


async def test_a_read_committed_fetch_without_transactions_waits_for_bytes(tmp_path: Path) -> None:
    """An append completes it."""
    async with _recorded(tmp_path) as (nodes, _):
        await _read_committed(nodes, 0)
        await nodes.produce(b"plain")
        await pass_ms(1000)

        record = kept_of(nodes.running, "Fetch")[-1]

        assert record["waited_for"] == {"kind": "min_bytes", "need": 1, "had": 0}
        assert record["completed_by"]["cause"] == "high_watermark"
