"""Transactional batches of a Produce are verified by the coordinator before they are appended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from broker.common.topic_partition import TopicPartition
from broker.transactions.add_partitions_to_txn import Errors, SupportedOperation
from protocol.errors import ErrorCode
from protocol.messages.produce import ProduceRequest
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from protocol.record_batch.header import TRANSACTIONAL_BIT
from tests.batches import batch
from tests.broker.scenarios.three_nodes import pass_ms, settle, values
from tests.client import Client, RunningNode, running_node
from tests.parked import parked_on
from tests.requests import FETCH_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
ADD = SupportedOperation.ADD_PARTITION
VERSIONS = (10, 11, 12)
T0 = TopicPartition("t", 0)


class Transactions:
    """A node with a topic ``t`` of two partitions, and its requests to a coordinator."""

    def __init__(self, running: RunningNode) -> None:
        self.running = running
        self.client = running.client()
        self.requests: list[tuple[str, int, int, set[TopicPartition], SupportedOperation]] = []
        self._responses: list[Callable[[Errors], None]] = []
        running.controller.create_topic("t", partitions=2)
        sender = running.node.partition_sender
        sender.add_or_verify = self._add_or_verify  # type: ignore[method-assign]  # the coordinator

    def _add_or_verify(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Collection[TopicPartition],
        operation: SupportedOperation,
        on_response: Callable[[Errors], None],
    ) -> None:
        self.requests.append(
            (transactional_id, producer_id, producer_epoch, set(partitions), operation)
        )
        self._responses.append(on_response)

    async def produce(
        self, *batches: bytes, version: int = 12, acks: int = -1, client: Client | None = None
    ) -> None:
        """Send a batch for each partition, and run all tasks."""
        (client or self.client).start(request(*batches, acks=acks), version)
        await settle()

    async def respond(self, **errors: ErrorCode) -> None:
        """Respond to the last request with the errors of partitions, as in ``t0``."""
        named = {TopicPartition(key[0], int(key[1])): error for key, error in errors.items()}
        self._responses.pop()(named)
        self.running.node.replicas.actions.try_complete_actions()
        await settle()

    async def write_marker(self, epoch: int) -> None:
        """End the transaction of the producer in partition 0, as the coordinator does."""
        topics = [WritableTxnMarkerTopic(name="t", partition_indexes=[0])]
        marker = WritableTxnMarker(
            producer_id=7,
            producer_epoch=epoch,
            transaction_result=False,
            topics=topics,
            coordinator_epoch=0,
            transaction_version=2,
        )
        await self.running.client().send(WriteTxnMarkersRequest(markers=[marker]))

    def end(self, partition: int = 0) -> int:
        """The log end offset of a partition."""
        key = TopicPartition("t", partition)
        return self.running.node.replicas.partitions[key].log.log_end_offset

    async def results(self) -> dict[int, tuple[ErrorCode, int, str | None]]:
        """Error, base offset and message of each partition of the next response."""
        response = await self.client.receive()
        return {
            each.index: (ErrorCode(each.error_code), each.base_offset, each.error_message)
            for topic in response.responses
            for each in topic.partition_responses
        }


def request(*batches: bytes, acks: int = -1) -> ProduceRequest:
    """A batch for each partition of ``t``, in the transaction of ``billing``."""
    body = produce_request("t", *batches, acks=acks, timeout_ms=1000)
    body.transactional_id = "billing"
    return body


def transactional(*values: bytes, producer_id: int = 7, epoch: int = 3, sequence: int = 0) -> bytes:
    """A batch of a transaction."""
    return batch(
        *values,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
        attributes=TRANSACTIONAL_BIT,
    )


@asynccontextmanager
async def transactions(tmp_path: Path) -> AsyncIterator[Transactions]:
    """A running node."""
    async with running_node(tmp_path) as node:
        yield Transactions(node)


@pytest.mark.parametrize(
    ("version", "operation"),
    [
        (10, SupportedOperation.DEFAULT),
        (11, SupportedOperation.GENERIC_ERROR),
        (12, SupportedOperation.ADD_PARTITION),
    ],
)
async def test_a_first_batch_is_appended_after_its_verification(
    tmp_path: Path, version: int, operation: SupportedOperation
) -> None:
    """The version decides whether its partition is verified or added."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"), version=version)
        assert made.requests == [("billing", 7, 3, {T0}, operation)]
        assert made.end() == 0

        await made.respond()

        assert await made.results() == {0: (NONE, 0, None)}


async def test_later_batches_of_the_transaction_are_appended_at_once(tmp_path: Path) -> None:
    """The transaction is open in the partition."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"))
        await made.respond()
        await made.results()

        await made.produce(transactional(b"b", sequence=1))

        assert await made.results() == {0: (NONE, 1, None)}
        assert len(made.requests) == 1


@pytest.mark.parametrize("size", [10, 100_000])
async def test_a_waiting_batch_is_not_overwritten(tmp_path: Path, size: int) -> None:
    """Other requests use the buffer of connections meanwhile."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a" * size))
        other = made.running.client()
        await other.send(produce_request("t", batch(b"x" * size), batch(b"y" * size)), 12)

        await made.respond()

        fetched = await other.send(fetch_request("t", 1), FETCH_VERSION)
        assert values(fetched.responses[0].partitions[0].records) == [b"a" * size]


async def test_the_wait_is_described(tmp_path: Path) -> None:
    """With the transactional id and its coordinator, of which there is none here."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"))

        [waiting] = parked_on(made.running.node)

        assert waiting["waited_for"] == {
            "kind": "transaction_coordinator",
            "transactional_id": "billing",
            "node": None,
        }


async def test_a_batch_without_producer_id_needs_no_verification(tmp_path: Path) -> None:
    """It is appended as an ordinary one, as in Kafka."""
    async with transactions(tmp_path) as made:
        await made.produce(batch(b"a", attributes=TRANSACTIONAL_BIT))

        assert await made.results() == {0: (NONE, 0, None)}
        assert made.requests == []


@pytest.mark.parametrize("producer", [(8, 3), (7, 4)])
async def test_the_batches_of_a_request_have_one_producer(
    tmp_path: Path, producer: tuple[int, int]
) -> None:
    """Otherwise all partitions are refused."""
    async with transactions(tmp_path) as made:
        other = transactional(b"b", producer_id=producer[0], epoch=producer[1])

        await made.produce(transactional(b"a"), other)

        results = await made.results()
        assert {error for error, _, _ in results.values()} == {
            ErrorCode.INVALID_PRODUCER_ID_MAPPING
        }
        assert made.end(0) == made.end(1) == 0


async def test_a_partition_that_is_refused_does_not_prevent_the_others(tmp_path: Path) -> None:
    """Its batch is not appended."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"), transactional(b"b"))

        await made.respond(t0=ErrorCode.INVALID_PRODUCER_EPOCH)

        assert await made.results() == {
            0: (ErrorCode.INVALID_PRODUCER_EPOCH, -1, None),
            1: (NONE, 0, None),
        }


async def test_ordinary_batches_of_the_request_are_appended_with_the_others(
    tmp_path: Path,
) -> None:
    """They are not verified, but wait as well."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"), batch(b"b"))
        assert made.end(1) == 0

        await made.respond(t0=ErrorCode.INVALID_PRODUCER_EPOCH)

        assert (await made.results())[1] == (NONE, 0, None)


NOT_ADDED = "Partition was not added to the transaction"
UNABLE = "Unable to verify the partition has been added to the transaction. Underlying error: "
UNREACHABLE = (
    ErrorCode.NETWORK_EXCEPTION,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
)
UNCHANGED = (
    ErrorCode.INVALID_PRODUCER_EPOCH,
    ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.OPERATION_NOT_ATTEMPTED,
    ErrorCode.TRANSACTION_ABORTABLE,
)


@pytest.mark.parametrize(
    ("version", "error", "expected", "message"),
    [
        *(
            (v, ErrorCode.INVALID_TXN_STATE, ErrorCode.INVALID_TXN_STATE, NOT_ADDED)
            for v in VERSIONS
        ),
        *((v, e, e, None) for v in VERSIONS for e in UNCHANGED),
        *(
            (v, e, ErrorCode.NOT_ENOUGH_REPLICAS, UNABLE + e.name)
            for v in VERSIONS
            for e in UNREACHABLE
        ),
        *(
            (
                v,
                ErrorCode.CONCURRENT_TRANSACTIONS,
                ErrorCode.NOT_ENOUGH_REPLICAS,
                UNABLE + "CONCURRENT_TRANSACTIONS",
            )
            for v in (10, 11)
        ),
    ],
)
async def test_errors_are_translated_for_the_version(
    tmp_path: Path, version: int, error: ErrorCode, expected: ErrorCode, message: str | None
) -> None:
    """Clients send a batch again after NOT_ENOUGH_REPLICAS, without new metadata."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"), version=version)

        await made.respond(t0=error)

        assert await made.results() == {0: (expected, -1, message)}
        assert made.end() == 0


async def test_a_conflict_with_the_previous_transaction_is_retried_for_100_ms(
    tmp_path: Path,
) -> None:
    """Every 20 ms; then the client gets it, from v12 on."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"))
        for _ in range(5):
            await made.respond(t0=ErrorCode.CONCURRENT_TRANSACTIONS)
            await pass_ms(21)
        assert len(made.requests) == 6

        await made.respond(t0=ErrorCode.CONCURRENT_TRANSACTIONS)

        assert await made.results() == {0: (ErrorCode.CONCURRENT_TRANSACTIONS, -1, None)}


async def test_the_timeout_of_the_request_does_not_bound_the_verification(tmp_path: Path) -> None:
    """It is that of the replication."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"))
        await pass_ms(5000)
        assert made.client.nothing_arrived()

        await made.respond()

        assert await made.results() == {0: (NONE, 0, None)}


async def test_a_disconnect_does_not_prevent_the_append(tmp_path: Path) -> None:
    """As in Kafka."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"))
        made.client.close()
        await settle()

        await made.respond()

        assert made.end() == 1


async def test_a_refused_batch_without_acknowledgement_closes_the_connection(
    tmp_path: Path,
) -> None:
    """The client gets new metadata then."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"), acks=0)

        await made.respond(t0=ErrorCode.NOT_COORDINATOR)

        assert await made.client.closed()


async def test_a_verification_that_a_marker_overtakes_opens_no_transaction(
    tmp_path: Path,
) -> None:
    """Its guard is no longer valid."""
    async with transactions(tmp_path) as made:
        await made.produce(transactional(b"a"))
        partition: Any = made.running.node.replicas.partitions[T0]
        await made.write_marker(epoch=4)

        await made.respond()

        assert (await made.results())[0][:2] == (ErrorCode.INVALID_PRODUCER_EPOCH, -1)
        assert partition.log.last_stable_offset == 1


async def test_many_partitions_are_verified_together(tmp_path: Path) -> None:
    """Requests of many partitions are handled in slices."""
    async with running_node(tmp_path) as node:
        made = Transactions(node)
        node.controller.create_topic("many", partitions=40)
        body = request()
        body.topic_data = produce_request("many", *[transactional(b"a")] * 40).topic_data
        made.client.start(body, 12)
        await settle()
        assert len(made.requests[0][3]) == 40

        await made.respond()

        results = await made.results()
        assert set(results.values()) == {(NONE, 0, None)}
        assert len(results) == 40
