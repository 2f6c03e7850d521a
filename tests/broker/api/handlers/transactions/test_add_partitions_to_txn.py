"""AddPartitionsToTxn."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.client import running_node

pytestmark = pytest.mark.anyio

ABORTABLE = ErrorCode.TRANSACTION_ABORTABLE
NOT_ATTEMPTED = ErrorCode.OPERATION_NOT_ATTEMPTED
UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("version", range(4))
async def test_a_client_adds_partitions(tmp_path: Path, version: int) -> None:
    """The transaction has them; each has its result."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)

        results = await producer.add(("a", [1, 0]), version=version)

        assert results == [("a", 1, 0), ("a", 0, 0)]
        entry = node.node.transactions.metadata_of(ID)
        assert sorted(entry.partitions) == [("a", 0), ("a", 1)]
        assert entry.value.client_transaction_version == 0


@pytest.mark.parametrize(
    ("version", "error"),
    [
        (1, ErrorCode.INVALID_PRODUCER_EPOCH),
        (2, ErrorCode.PRODUCER_FENCED),
        (3, ErrorCode.PRODUCER_FENCED),
    ],
)
async def test_older_versions_have_another_error_for_fenced_producers(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """PRODUCER_FENCED exists since v2."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)

        assert await producer.add(("a", [0]), version=version, epoch=7) == [("a", 0, error)]


async def test_one_unknown_partition_refuses_all(tmp_path: Path) -> None:
    """The others get OPERATION_NOT_ATTEMPTED, and the transaction does not begin."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)

        results = await producer.add(("a", [0, 2, -1]), ("b", [0]))

        assert results == [
            ("a", 0, NOT_ATTEMPTED),
            ("a", 2, UNKNOWN),
            ("a", -1, UNKNOWN),
            ("b", 0, UNKNOWN),
        ]
        assert node.node.transactions.metadata_of(ID).value.state.name == "EMPTY"


async def test_a_repeated_partition_has_a_result_each_time(tmp_path: Path) -> None:
    """The results are in the order of the request."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)

        results = await producer.add(("a", [1, 1]), ("a", [0]))

        assert results == [("a", 1, 0), ("a", 1, 0), ("a", 0, 0)]


async def test_a_refused_partition_has_one_result(tmp_path: Path) -> None:
    """And a topic without partitions none, as in Kafka."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)

        results = await producer.add(("a", [0, 0]), ("b", [0]), ("a", [0]), ("a", []))

        assert results == [("a", 0, NOT_ATTEMPTED), ("b", 0, UNKNOWN)]


async def test_a_verified_partition_has_one_result(tmp_path: Path) -> None:
    """Unlike one that is added."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))
        check = producer.transaction(("a", [0]), ("a", [0, 1]), verify_only=True)

        results = await producer.add_as_broker(check)

        assert results == {ID: [("a", 0, 0), ("a", 1, ABORTABLE)]}


async def test_of_an_id_that_is_named_twice_the_last_partitions_are_added(tmp_path: Path) -> None:
    """As in Kafka, the results are those of the first entry."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        first, last = producer.transaction(("a", [0])), producer.transaction(("a", [1]))

        results = await producer.add_as_broker(first, last)

        assert results == {ID: [("a", 0, 0)]}
        assert node.node.transactions.metadata_of(ID).partitions == {("a", 1)}


async def test_clients_cannot_add_internal_topics(tmp_path: Path) -> None:
    """Brokers can, for the offsets of groups."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        topic = "__transaction_state"

        assert await producer.add((topic, [0])) == [(topic, 0, refused)]

        results = await producer.add_as_broker(producer.transaction((topic, [0])))
        assert results == {ID: [(topic, 0, 0)]}


@pytest.mark.parametrize("version", [4, 5])
async def test_a_broker_adds_partitions_of_several_transactions(
    tmp_path: Path, version: int
) -> None:
    """With protocol 2, and a result for each."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        own, other = producer.transaction(("a", [0])), producer.transaction(("a", [1]), name="x")

        results = await producer.add_as_broker(own, other, version=version)

        assert results == {
            ID: [("a", 0, 0)],
            "x": [("a", 1, ErrorCode.INVALID_PRODUCER_ID_MAPPING)],
        }
        value = node.node.transactions.metadata_of(ID).value
        assert value.client_transaction_version == 2


@pytest.mark.parametrize("version", [4, 5])
async def test_a_broker_checks_which_partitions_a_transaction_has(
    tmp_path: Path, version: int
) -> None:
    """Nothing is added."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))
        check = producer.transaction(("a", [0, 1]), verify_only=True)

        results = await producer.add_as_broker(check, version=version)

        assert results == {ID: [("a", 0, 0), ("a", 1, ABORTABLE)]}
        assert node.node.transactions.metadata_of(ID).partitions == {("a", 0)}


async def test_a_request_without_transactions_has_an_empty_response(tmp_path: Path) -> None:
    """It is sent at once."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)

        assert await producer.add_as_broker() == {}


async def test_the_response_of_several_transactions_waits_for_all(tmp_path: Path) -> None:
    """Also for one whose record cannot be written."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        good, bad = producer.transaction(("a", [0])), producer.transaction(("b", [0]), name="x")

        results = await producer.add_as_broker(good, bad)

        assert results == {ID: [("a", 0, 0)], "x": [("b", 0, UNKNOWN)]}
        assert node.node.transactions.metadata_of(ID).value.state.name == "ONGOING"
