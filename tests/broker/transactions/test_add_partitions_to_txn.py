"""Requests that add partitions to transactions or verify them, and the errors of their results."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import (
    NO_LEADER,
    TRANSACTION_STATE_TOPIC,
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.coordinators.internal_topic import partition_for, partition_leader
from broker.transactions import add_partitions_to_txn
from broker.transactions.add_partitions_to_txn import (
    AddPartitionsToTxnSender,
    Errors,
    SupportedOperation,
)
from protocol.errors import ErrorCode
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)
from tests.broker.coordinators.scripted_broker import (
    ScriptedBrokers,
    SendingBroker,
    pass_ms,
    sending,
    settle,
)

pytestmark = pytest.mark.anyio

A0, A1, B0 = TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("b", 0)
ADD = SupportedOperation.ADD_PARTITION
TOPIC_ID = uuid4()  # of the state topic


class Sending:
    """A running sender; partition *n* of the state topic is led by node *n* + 1."""

    def __init__(self, node: SendingBroker, brokers: ScriptedBrokers) -> None:
        self.node = node
        self.brokers = brokers
        self.image = MetadataImage("cluster")
        self.lead(1, 2, 3)
        self.results: list[tuple[str, Errors]] = []
        self.sender = AddPartitionsToTxnSender(node.sender_parts(brokers), self._coordinator)

    def _coordinator(self, key: str) -> Broker:
        return partition_leader(TRANSACTION_STATE_TOPIC, partition_for(key, 3), self.image)

    def lead(self, *leaders: int) -> None:
        """Make these nodes the coordinators."""
        for node_id in leaders:
            if node_id in self.node.brokers:
                self.image.put_broker(self.node.brokers[node_id])
        partitions = tuple(PartitionRegistration((each,), (each,), each) for each in leaders)
        self.image.put(TopicImage(TRANSACTION_STATE_TOPIC, TOPIC_ID, {}, partitions))

    async def add(
        self,
        transactional_id: str,
        *partitions: TopicPartition,
        epoch: int = 0,
        operation: SupportedOperation = ADD,
        name: str | None = None,
    ) -> None:
        """Add or verify partitions, and run all tasks."""

        def on_response(errors: Errors) -> None:
            self.results.append((name or transactional_id, errors))
            if name == "raises":
                raise ValueError(name)

        before = len(self.results)
        self.sender.add_or_verify(
            transactional_id, 7, epoch, partitions or (A0,), operation, on_response
        )
        assert len(self.results) == before, "results are passed from the action queue"
        self.node.actions.try_complete_actions()
        await settle()

    def request(self, node_id: int = 2) -> list[AddPartitionsToTxnTransaction] | None:
        """The transactions of the next request to a node; None if there is none."""
        for accepted in self.brokers.connections(node_id)[-1:]:
            request = accepted.request()
            if request is not None:
                assert isinstance(request, AddPartitionsToTxnRequest)
                return request.transactions
        return None

    async def respond(
        self, *results: AddPartitionsToTxnResult, error: ErrorCode = ErrorCode.NONE
    ) -> None:
        """Respond to the last request of node 2."""
        response = AddPartitionsToTxnResponse(
            error_code=error, results_by_transaction=list(results)
        )
        await self.brokers.last(2).respond(response)


def result(transactional_id: str, **codes: ErrorCode) -> AddPartitionsToTxnResult:
    """The result of a transaction: the error of each partition, named as in ``a0``."""
    return AddPartitionsToTxnResult(
        transactional_id=transactional_id,
        topic_results=[
            AddPartitionsToTxnTopicResult(
                name=name[0],
                results_by_partition=[
                    AddPartitionsToTxnPartitionResult(
                        partition_index=int(name[1]), partition_error_code=code
                    )
                ],
            )
            for name, code in codes.items()
        ],
    )


def coordinated_by(node_id: int, number: int = 0) -> str:
    """A transactional id that a node coordinates."""
    names = (f"t{count}" for count in range(1000))
    return [name for name in names if partition_for(name, 3) == node_id - 1][number]


T, U, V = (coordinated_by(2, number) for number in range(3))


@asynccontextmanager
async def running() -> AsyncIterator[Sending]:
    """A running sender."""
    async with sending() as (node, brokers, nursery):
        made = Sending(node, brokers)
        nursery.start_soon(made.sender.run)
        yield made


# ---------------------------------------------------------------------------------- requests


@pytest.mark.parametrize("operation", SupportedOperation)
async def test_a_request_names_the_transaction(operation: SupportedOperation) -> None:
    """Partitions are verified only, unless the client's version supports adding them."""
    async with running() as made:
        await made.add(T, A0, A1, B0, epoch=3, operation=operation)

        assert made.request() == [
            AddPartitionsToTxnTransaction(
                transactional_id=T,
                producer_id=7,
                producer_epoch=3,
                verify_only=operation is not ADD,
                topics=[
                    AddPartitionsToTxnTopic(name="a", partitions=[0, 1]),
                    AddPartitionsToTxnTopic(name="b", partitions=[0]),
                ],
            )
        ]


@pytest.mark.parametrize("node_id", [1, 2, 3])
async def test_a_request_goes_to_the_coordinator(node_id: int) -> None:
    """The own node as well, over a connection."""
    async with running() as made:
        await made.add(coordinated_by(node_id))

        assert list(made.brokers.accepted) == [node_id]


@pytest.mark.parametrize("leader", [NO_LEADER, 4])
async def test_without_a_coordinator_nothing_is_sent(leader: int) -> None:
    """The partition of the id has no live leader."""
    async with running() as made:
        made.lead(1, leader, 3)

        await made.add(T, A0, A1)

        not_available = ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert made.results == [(T, {A0: not_available, A1: not_available})]
        assert made.sender.coordinator(T) is None


async def test_transactions_that_are_queued_together_are_sent_together() -> None:
    """While one request is in flight, the next ones to its destination are collected."""
    async with running() as made:
        await made.add(T)
        await made.add(U)
        await made.add(V)
        assert [each.transactional_id for each in made.request() or ()] == [T]
        assert made.request() is None

        await made.respond(result(T, a0=ErrorCode.NONE))

        assert [each.transactional_id for each in made.request() or ()] == [U, V]


# ------------------------------------------------------------------------- one per transaction


async def test_a_queued_request_is_replaced_by_one_of_the_same_epoch() -> None:
    """Its client has probably sent it again."""
    async with running() as made:
        await made.add(U)
        await made.add(T, A0, name="first")

        await made.add(T, A1, name="second")

        assert made.results == [("first", {A0: ErrorCode.NETWORK_EXCEPTION})]
        made.request()
        await made.respond(result(U, a0=ErrorCode.NONE))
        [transaction] = made.request() or []
        assert transaction.topics == [AddPartitionsToTxnTopic(name="a", partitions=[1])]


async def test_a_queued_request_is_fenced_by_one_of_a_higher_epoch() -> None:
    """The later producer goes on."""
    async with running() as made:
        await made.add(U)
        await made.add(T, A0, epoch=1, name="first")

        await made.add(T, A1, epoch=2, name="second")

        assert made.results == [("first", {A0: ErrorCode.INVALID_PRODUCER_EPOCH})]


async def test_a_request_of_a_lower_epoch_is_refused() -> None:
    """The queued one stays."""
    async with running() as made:
        await made.add(U)
        await made.add(T, A0, epoch=2, name="first")

        await made.add(T, A1, epoch=1, name="second")

        assert made.results == [("second", {A1: ErrorCode.INVALID_PRODUCER_EPOCH})]
        made.request()
        await made.respond(result(U, a0=ErrorCode.NONE))
        [transaction] = made.request() or []
        assert transaction.producer_epoch == 2


async def test_a_request_in_flight_is_not_replaced() -> None:
    """Both get their results."""
    async with running() as made:
        await made.add(T, A0, name="first")
        made.request()

        await made.add(T, A1, name="second")

        await made.respond(result(T, a0=ErrorCode.NONE))
        assert made.results == [("first", {})]
        made.request()
        await made.respond(result(T, a1=ErrorCode.NONE))
        assert made.results[1:] == [("second", {})]


# ----------------------------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("code", "operation", "error"),
    [
        (ErrorCode.TRANSACTION_ABORTABLE, SupportedOperation.DEFAULT, ErrorCode.INVALID_TXN_STATE),
        (
            ErrorCode.TRANSACTION_ABORTABLE,
            SupportedOperation.GENERIC_ERROR,
            ErrorCode.TRANSACTION_ABORTABLE,
        ),
        *(
            (code, operation, code)
            for code in (
                ErrorCode.CONCURRENT_TRANSACTIONS,
                ErrorCode.INVALID_PRODUCER_ID_MAPPING,
                ErrorCode.INVALID_TXN_STATE,
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                ErrorCode.OPERATION_NOT_ATTEMPTED,
                ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
                ErrorCode.NOT_COORDINATOR,
            )
            for operation in SupportedOperation
        ),
        *(
            (ErrorCode.PRODUCER_FENCED, operation, ErrorCode.INVALID_PRODUCER_EPOCH)
            for operation in SupportedOperation
        ),
    ],
)
async def test_the_errors_of_partitions_are_passed_on(
    code: ErrorCode, operation: SupportedOperation, error: ErrorCode
) -> None:
    """Those that clients of the version do not know are replaced."""
    async with running() as made:
        await made.add(T, A0, A1, operation=operation)
        made.request()

        await made.respond(result(T, a0=ErrorCode.NONE, a1=code))

        assert made.results == [(T, {A1: error})]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
async def test_an_error_of_the_response_is_that_of_all_partitions(
    code: ErrorCode, error: ErrorCode
) -> None:
    """Of all transactions."""
    async with running() as made:
        await made.add(T, A0, A1)
        made.request()

        await made.respond(error=code)

        assert made.results == [(T, {A0: error, A1: error})]


async def test_a_partition_without_result_is_not_verified() -> None:
    """The client sends the batch again."""
    async with running() as made:
        await made.add(T, A0, A1)
        made.request()

        await made.respond(result(T, a0=ErrorCode.NONE))

        assert made.results == [(T, {A1: ErrorCode.NETWORK_EXCEPTION})]


async def test_a_disconnect_is_a_network_exception() -> None:
    """Later requests are sent after the back-off."""
    async with running() as made:
        await made.add(T)
        await made.brokers.last(2).close()
        assert made.results == [(T, {A0: ErrorCode.NETWORK_EXCEPTION})]

        await made.add(U)
        await pass_ms(52)

        assert made.request() is not None


async def test_a_timeout_is_a_network_exception() -> None:
    """It is request.timeout.ms, not the timeout of the client's request."""
    async with running() as made:
        made.node.config.request_timeout_ms = 6000
        await made.add(T)
        await pass_ms(5998)
        assert made.results == []

        await pass_ms(4)

        assert made.results == [(T, {A0: ErrorCode.NETWORK_EXCEPTION})]


async def test_an_exception_of_a_callback_does_not_affect_other_transactions() -> None:
    """It is reported."""
    async with running() as made:
        await made.add(T)
        await made.add(U, name="raises")
        await made.add(V)
        made.request()
        await made.respond(result(T, a0=ErrorCode.NONE))
        made.request()

        await made.respond(result(U, a0=ErrorCode.NONE), result(V, a0=ErrorCode.NONE))

        assert made.results == [(T, {}), ("raises", {}), (V, {})]
        assert [str(error) for error in made.node.errors] == ["raises"]


async def test_a_request_has_a_limited_number_of_transactions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others are sent after its response."""
    monkeypatch.setattr(add_partitions_to_txn, "TRANSACTIONS_PER_REQUEST_MAX", 2)
    async with running() as made:
        await made.add("busy")
        made.request()
        for each in (T, U, V):
            await made.add(each)

        for expected in ([T, U], [V]):
            await made.respond()
            assert [each.transactional_id for each in made.request() or ()] == expected
