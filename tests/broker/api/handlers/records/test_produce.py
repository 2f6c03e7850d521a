"""Produce."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from broker.storage.files.blocking_work import Then
from broker.storage.files.flusher import Flusher
from protocol.errors import ErrorCode
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.header import TRANSACTIONAL_BIT
from tests.batches import batch
from tests.client import running_node
from tests.parked import parked_on
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

A = batch(b"a")


def _partitions(response: Any) -> dict[tuple[str, int], tuple[ErrorCode, int]]:
    return {
        (topic.name, partition.index): (ErrorCode(partition.error_code), partition.base_offset)
        for topic in response.responses
        for partition in topic.partition_responses
    }


@pytest.mark.parametrize("acks", [1, -1])
@pytest.mark.parametrize("version", range(3, 13))
async def test_offsets_are_assigned_in_order(tmp_path: Path, acks: int, version: int) -> None:
    """Each batch gets the offset after the last one, whatever the acks and the version."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()

        first = await client.send(produce_request("t", batch(b"a", b"b"), acks=acks), version)
        second = await client.send(produce_request("t", batch(b"c"), acks=acks), version)

        assert _partitions(first) == {("t", 0): (ErrorCode.NONE, 0)}
        assert _partitions(second) == {("t", 0): (ErrorCode.NONE, 2)}


async def test_a_topic_is_named_by_id_from_v13(tmp_path: Path) -> None:
    """An unknown id has an error of its own (KIP-516)."""
    async with running_node(tmp_path) as node:
        topic = node.controller.create_topic("t")
        client = node.client()
        data = [PartitionProduceData(index=0, records=batch(b"a"))]
        request = ProduceRequest(
            acks=-1,
            timeout_ms=1000,
            topic_data=[TopicProduceData(topic_id=topic.topic_id, partition_data=data)],
        )

        known = await client.send(request, 13)
        node.controller.delete_topic("t")
        unknown = await client.send(request, 13)

        assert known.responses[0].topic_id == topic.topic_id
        assert known.responses[0].partition_responses[0].error_code == 0
        error = unknown.responses[0].partition_responses[0].error_code
        assert error == ErrorCode.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize("acks", [2, -2])
async def test_other_acks_are_refused_and_nothing_is_appended(tmp_path: Path, acks: int) -> None:
    """Only -1, 0 and 1 are valid (Kafka's testIllegalRequiredAcks)."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        response = await node.client().send(
            produce_request("t", batch(b"a"), acks=acks), PRODUCE_VERSION
        )

        assert _partitions(response) == {("t", 0): (ErrorCode.INVALID_REQUIRED_ACKS, -1)}
        assert node.node.replicas.partitions[TopicPartition("t", 0)].log.log_end_offset == 0


async def test_other_acks_are_the_error_of_partitions_that_exist(tmp_path: Path) -> None:
    """An unknown partition has its own error (``ReplicaManager.appendRecords`` gets the others)."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=1)
        request = produce_request("t", batch(b"a"), acks=2)
        request.topic_data[0].partition_data.append(
            PartitionProduceData(index=1, records=batch(b"a"))
        )

        response = await node.client().send(request, PRODUCE_VERSION)

        assert _partitions(response) == {
            ("t", 0): (ErrorCode.INVALID_REQUIRED_ACKS, -1),
            ("t", 1): (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1),
        }


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ((None, A), ErrorCode.NONE),
        ((A, None, A), ErrorCode.NONE),
        ((None, None), ErrorCode.INVALID_RECORD),
        ((None, A[:20], A), ErrorCode.INVALID_RECORD),
    ],
)
async def test_null_is_replaced_by_a_later_batch_of_the_partition(
    tmp_path: Path, given: tuple[bytes | None, ...], error: ErrorCode
) -> None:
    """Unlike a batch that is invalid."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        topic = TopicProduceData(
            name="t",
            partition_data=[PartitionProduceData(index=0, records=each) for each in given],
        )

        response = await node.client().send(
            ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic]), PRODUCE_VERSION
        )

        assert [each[0] for each in _partitions(response).values()] == [error]


async def test_a_refused_partition_comes_after_the_others(tmp_path: Path) -> None:
    """The valid one is appended to; the refused one is last in the response, as in Kafka."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=1)
        request = produce_request("t", batch(b"a"))
        unknown = TopicProduceData(
            name="unknown", partition_data=[PartitionProduceData(index=0, records=batch(b"x"))]
        )
        request.topic_data.insert(0, unknown)

        response = await node.client().send(request, PRODUCE_VERSION)

        assert list(_partitions(response).items()) == [
            (("t", 0), (ErrorCode.NONE, 0)),
            (("unknown", 0), (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)),
        ]


@pytest.mark.parametrize("is_valid_last", [False, True])
async def test_of_a_partition_that_is_named_twice_a_refusal_is_the_result(
    tmp_path: Path, is_valid_last: bool
) -> None:
    """The valid batch is appended, as in Kafka."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=1)
        data = [
            PartitionProduceData(index=0, records=records)
            for records in (batch(b"a"), memoryview(b"x"))
        ]
        request = ProduceRequest(
            acks=-1,
            timeout_ms=1000,
            topic_data=[
                TopicProduceData(name="t", partition_data=data[::-1] if is_valid_last else data)
            ],
        )

        response = await node.client().send(request, PRODUCE_VERSION)

        (topic,) = response.responses
        (partition,) = topic.partition_responses
        assert (partition.error_code, partition.base_offset) == (ErrorCode.INVALID_RECORD, -1)
        assert node.node.replicas.partitions[TopicPartition("t", 0)].log.log_end_offset == 1


async def test_a_partition_that_does_not_exist_is_unknown(tmp_path: Path) -> None:
    """So is an index above the topic's partitions, or below zero."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        request = produce_request("t", batch(b"a"))
        for index in (1, -1):
            request.topic_data[0].partition_data[0].index = index

            response = await node.client().send(request, PRODUCE_VERSION)

            unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            assert _partitions(response) == {("t", index): (unknown, -1)}


def _flipped(records: bytes) -> bytes:
    return records[:-1] + bytes([records[-1] ^ 1])


@pytest.mark.parametrize(
    ("records", "error", "log_start"),
    [
        (_flipped(batch(b"a")), ErrorCode.CORRUPT_MESSAGE, -1),
        (b"\0" * 8 + b"\0\0\0\x01" + b"\0" * 60, ErrorCode.CORRUPT_MESSAGE, -1),
        (b"", ErrorCode.INVALID_RECORD, -1),
        (None, ErrorCode.INVALID_RECORD, -1),
        (batch(b"a") + batch(b"b"), ErrorCode.INVALID_RECORD, -1),
        (batch(b"a", timestamp=9_000_000_000_000), ErrorCode.INVALID_TIMESTAMP, 0),
        (batch(bytes(2_000_000)), ErrorCode.MESSAGE_TOO_LARGE, -1),
    ],
    ids=["crc", "length", "empty", "null", "two batches", "from the future", "too large"],
)
async def test_invalid_records_are_refused(
    tmp_path: Path, records: bytes | None, error: ErrorCode, log_start: int
) -> None:
    """The error codes and log offsets are those of Kafka; the log does not change."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()

        response = await client.send(produce_request("t", records), PRODUCE_VERSION)
        after = await client.send(produce_request("t", batch(b"good")), PRODUCE_VERSION)

        assert _partitions(response) == {("t", 0): (error, -1)}
        (refused,) = response.responses[0].partition_responses
        assert refused.log_start_offset == log_start
        assert _partitions(after) == {("t", 0): (ErrorCode.NONE, 0)}


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (16, 3, "Invalid magic found in record: 3"),
        (16, 255, "Invalid magic found in record: -1"),
        (8, 255, "Record size -16777159 is less than the minimum record overhead (14)"),
    ],
)
async def test_bytes_that_are_no_batch_have_kafkas_message(
    tmp_path: Path, position: int, value: int, message: str
) -> None:
    """All partitions of the request have it."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        records = bytearray(batch(b"a"))
        records[position] = value
        request = produce_request("t", batch(b"a"))
        other = PartitionProduceData(index=1, records=bytes(records))
        request.topic_data[0].partition_data.append(other)

        response = await node.client().send(request, PRODUCE_VERSION)

        refused = response.responses[0].partition_responses
        assert [each.error_message for each in refused] == [message, message]
        assert _partitions(response)["t", 0] == (ErrorCode.CORRUPT_MESSAGE, -1)


async def test_corrupt_bytes_after_a_batch_refuse_only_their_partition(tmp_path: Path) -> None:
    """As in Kafka, which reads them later than the first batches, and sends no message."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        second = bytearray(batch(b"a"))
        second[16] = 3
        request = produce_request("t", batch(b"a"))
        other = PartitionProduceData(index=1, records=batch(b"a") + bytes(second))
        request.topic_data[0].partition_data.append(other)

        response = await node.client().send(request, PRODUCE_VERSION)

        assert _partitions(response) == {
            ("t", 0): (ErrorCode.NONE, 0),
            ("t", 1): (ErrorCode.CORRUPT_MESSAGE, -1),
        }
        assert not any(each.error_message for each in response.responses[0].partition_responses)


async def test_a_duplicate_gets_the_original_offset(tmp_path: Path) -> None:
    """An idempotent producer that sends a batch again gets the same response; it is stored once."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        producer = {"producer_id": 7, "producer_epoch": 0}
        first = batch(b"a", base_sequence=0, **producer)
        second = batch(b"b", base_sequence=1, **producer)
        gap = batch(b"c", base_sequence=5, **producer)

        responses = [
            _partitions(await client.send(produce_request("t", records), PRODUCE_VERSION))["t", 0]
            for records in (first, second, first, gap)
        ]

        assert responses == [
            (ErrorCode.NONE, 0),
            (ErrorCode.NONE, 1),
            (ErrorCode.NONE, 0),
            (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1),
        ]
        assert node.node.replicas.partitions[TopicPartition("t", 0)].log.log_end_offset == 2


async def test_too_few_in_sync_replicas_are_an_error_with_acks_all_only(tmp_path: Path) -> None:
    """min.insync.replicas applies to acks=all, and is at most the number of replicas."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"min.insync.replicas": "2"})

        response = await node.client().send(produce_request("t", batch(b"a")), PRODUCE_VERSION)

        assert _partitions(response) == {("t", 0): (ErrorCode.NONE, 0)}


async def test_the_log_append_time_is_in_the_response(tmp_path: Path) -> None:
    """For topics with message.timestamp.type=LogAppendTime."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"message.timestamp.type": "LogAppendTime"})
        await trio.sleep(5)

        response = await node.client().send(produce_request("t", batch(b"a")), PRODUCE_VERSION)

        (partition,) = response.responses[0].partition_responses
        assert partition.log_append_time_ms == node.node.clock.wall_ms()


async def test_a_transactional_batch_without_transactional_id_refuses_the_whole_request(
    tmp_path: Path,
) -> None:
    """It is detected before partitions are checked, so the other batch is not appended either."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        transactional = batch(b"a", attributes=TRANSACTIONAL_BIT)

        response = await node.client().send(
            produce_request("t", batch(b"plain"), transactional), PRODUCE_VERSION
        )

        error = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        assert set(_partitions(response).values()) == {(error, -1)}
        assert node.node.replicas.partitions[TopicPartition("t", 0)].log.log_end_offset == 0


@pytest.mark.parametrize("failed", [False, True])
async def test_records_are_acknowledged_when_they_are_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failed: bool
) -> None:
    """With ``flush.messages`` the response waits for the flush, and is an error if that fails."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"flush.messages": "1"})
        flushed: list[Then] = []
        monkeypatch.setattr(Flusher, "sync", lambda _self, _, then: flushed.append(then))
        client = node.client()

        client.start(produce_request("t", batch(b"a"), acks=1), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        [waiting] = parked_on(node.node)
        monkeypatch.setattr(node.node.logs, "is_offline", lambda _: failed)
        flushed.pop()(None)
        result = await client.receive()

        assert (waiting["purgatory"], waiting["waited_for"]) == ("Produce", {"kind": "flush"})
        expected = (ErrorCode.KAFKA_STORAGE_ERROR, -1) if failed else (ErrorCode.NONE, 0)
        assert _partitions(result) == {("t", 0): expected}


async def test_acks_0_does_not_wait_for_a_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next request begins."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"flush.messages": "1"})
        monkeypatch.setattr(Flusher, "sync", lambda _self, _flush, _then: None)
        client = node.client()
        for _ in range(2):
            client.start(produce_request("t", batch(b"a"), acks=0), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        assert node.node.replicas.partitions[TopicPartition("t", 0)].log.log_end_offset == 2
