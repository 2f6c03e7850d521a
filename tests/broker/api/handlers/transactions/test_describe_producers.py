"""DescribeProducers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.validation.append import AppendOrigin
from protocol.errors import ErrorCode
from protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.batches import batch
from tests.broker.storage.logs import marker, transactional
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


def _request(*topics: tuple[str, list[int]]) -> DescribeProducersRequest:
    return DescribeProducersRequest(
        topics=[TopicRequest(name=name, partition_indexes=indexes) for name, indexes in topics]
    )


def _errors(response: Any) -> list[tuple[int, str | None]]:
    return [
        (each.error_code, each.error_message)
        for topic in response.topics
        for each in topic.partitions
    ]


async def test_the_state_of_a_producer(tmp_path: Path) -> None:
    """Its epoch, its last sequence number, and no transaction."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        client = node.client()
        records = batch(b"a", b"b", producer_id=7, producer_epoch=3, base_sequence=0)
        data = TopicProduceData(
            name="t", partition_data=[PartitionProduceData(index=0, records=records)]
        )
        await client.send(ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[data]), 9)

        response = await client.send(_request(("t", [0, 1])))

        written, untouched = response.topics[0].partitions
        (producer,) = written.active_producers
        assert (producer.producer_id, producer.producer_epoch, producer.last_sequence) == (7, 3, 1)
        assert producer.current_txn_start_offset == -1
        assert untouched.active_producers == []


async def test_unknown_partitions(tmp_path: Path) -> None:
    """The codes of Kafka 4.3.1, and its messages if any."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        response = await node.client().send(_request(("t", [9]), ("zz", [0]), ("a b", [0])))

        (no_partition, no_topic, no_name) = _errors(response)
        assert no_partition == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None)
        assert no_topic == (
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "This server does not host this topic-partition.",
        )
        assert no_name[0] == ErrorCode.INVALID_TOPIC_EXCEPTION


async def test_transactions_are_described(tmp_path: Path) -> None:
    """An open one by its first offset; a marker by the epoch of its coordinator."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        log = node.node.replicas.partitions[TopicPartition("t", 0)].log
        for producer_id in (7, 8):
            guard = log.maybe_start_transaction_verification(producer_id, 0, 0, True)
            log.append_as_leader(transactional(0, 0, producer_id), 0, verification_guard=guard)
        ended = marker(0, 7, epoch=1, abort=True, coordinator_epoch=3)
        log.append_as_leader(ended, 0, origin=AppendOrigin.COORDINATOR, transaction_version=2)

        response = await node.client().send(_request(("t", [0])))

        closed, opened = response.topics[0].partitions[0].active_producers
        assert (closed.producer_epoch, closed.last_sequence) == (1, -1)
        assert (closed.coordinator_epoch, closed.current_txn_start_offset) == (3, -1)
        assert (opened.producer_epoch, opened.last_sequence) == (0, 1)
        assert (opened.coordinator_epoch, opened.current_txn_start_offset) == (-1, 2)


async def test_every_replica_describes_producers(tmp_path: Path) -> None:
    """NOT_LEADER_OR_FOLLOWER only from a node without a replica."""
    async with running_cluster(tmp_path, 3) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])

        codes = [
            _errors(await cluster.client(node).send(_request(("t", [0]))))[0][0]
            for node in (1, 2, 3)
        ]

        assert codes == [ErrorCode.NONE, ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER]
