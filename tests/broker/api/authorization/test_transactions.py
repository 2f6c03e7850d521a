"""Authorization of requests about transactions, as in Kafka 4.3.1 with the StandardAuthorizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.security.resource import Operation
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from protocol.messages.describe_transactions import DescribeTransactionsRequest
from protocol.messages.end_txn import EndTxnRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.list_transactions import ListTransactionsRequest
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.broker.api.authorization.fake_authorizer import (
    Allowed,
    FakeAuthorizer,
    install,
    on_cluster,
    on_group,
    on_topic,
    on_transactional_id,
    send,
)
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.client import running_node

pytestmark = pytest.mark.anyio

DESCRIBE, READ, WRITE = Operation.DESCRIBE, Operation.READ, Operation.WRITE
MAY_WRITE_ID = on_transactional_id(WRITE, ID)
IDENTITY: dict[str, Any] = {"transactional_id": ID, "producer_id": 1, "producer_epoch": 0}


@pytest.mark.parametrize(
    ("transactional_id", "allowed", "error"),
    [
        (ID, [], 53),
        ("", [], 53),
        (ID, on_topic(WRITE, "a"), 53),
        (ID, MAY_WRITE_ID, 0),
        (None, [], 31),
        (None, MAY_WRITE_ID, 31),
        (None, on_topic(WRITE, "any"), 0),
        (None, [on_cluster(Operation.IDEMPOTENT_WRITE)], 0),
    ],
)
@pytest.mark.parametrize("version", [0, 5])
async def test_identities(
    tmp_path: Path,
    version: int,
    transactional_id: str | None,
    allowed: list[Allowed],
    error: int,
) -> None:
    """For a transactional id, or for a producer that may write to any topic."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        install(node.node, FakeAuthorizer(*allowed))
        body = InitProducerIdRequest(
            transactional_id=transactional_id, transaction_timeout_ms=60_000
        )
        response = await producer.client.send(body, version)

    assert response.error_code == error
    assert (response.producer_id == -1) == bool(error)


async def test_an_identity_is_authorized_before_it_is_checked(tmp_path: Path) -> None:
    """Half an identity is INVALID_REQUEST for a client that is authorized."""
    body = InitProducerIdRequest(
        transactional_id=ID, transaction_timeout_ms=1, producer_id=5, producer_epoch=-1
    )

    assert (await send(tmp_path / "1", body, 5)).error_code == 53
    assert (await send(tmp_path / "2", body, 5, *MAY_WRITE_ID)).error_code == 42


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        (on_topic(WRITE, "a"), {"a": 53, "b": 53, "zz": 53, "__consumer_offsets": 53}),
        (MAY_WRITE_ID, {"a": 29, "b": 29, "zz": 29, "__consumer_offsets": 29}),
        (
            [*MAY_WRITE_ID, *on_topic(WRITE, "a", "zz", "__consumer_offsets")],
            {"a": 55, "b": 29, "zz": 3, "__consumer_offsets": 29},
        ),
    ],
)
@pytest.mark.parametrize("version", [0, 3])
async def test_partitions_that_a_client_adds(
    tmp_path: Path, version: int, allowed: list[Allowed], expected: dict[str, int]
) -> None:
    """None is added if one is refused."""
    body = AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=ID,
        v3_and_below_producer_id=1,
        v3_and_below_producer_epoch=0,
        v3_and_below_topics=[
            AddPartitionsToTxnTopic(name=name, partitions=[0]) for name in expected
        ],
    )

    response = await send(tmp_path, body, version, *allowed)

    results = response.results_by_topic_v3_and_below
    assert {
        each.name: each.results_by_partition[0].partition_error_code for each in results
    } == expected


@pytest.mark.parametrize("version", [4, 5])
async def test_only_brokers_add_partitions_in_batches(tmp_path: Path, version: int) -> None:
    """The whole request is refused for others; transactional ids are not checked."""
    transaction = AddPartitionsToTxnTransaction(
        **IDENTITY, topics=[AddPartitionsToTxnTopic(name="a", partitions=[0])]
    )
    body = AddPartitionsToTxnRequest(transactions=[transaction])
    allowed = [*MAY_WRITE_ID, *on_topic(WRITE, "a")]

    refused = await send(tmp_path / "1", body, version, *allowed)
    accepted = await send(tmp_path / "2", body, version, on_cluster(Operation.CLUSTER_ACTION))

    assert (refused.error_code, refused.results_by_transaction) == (31, [])
    assert (accepted.error_code, len(accepted.results_by_transaction)) == (0, 1)


@pytest.mark.parametrize(
    ("allowed", "error"),
    [(on_group(READ, "g"), 53), (MAY_WRITE_ID, 30), ([*MAY_WRITE_ID, *on_group(READ, "g")], 0)],
)
async def test_offsets_that_are_added(tmp_path: Path, allowed: list[Allowed], error: int) -> None:
    """The transactional id is checked first, then the group."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        install(node.node, FakeAuthorizer(*allowed))

        assert await producer.add_offsets() == error


@pytest.mark.parametrize("version", [0, 5])
@pytest.mark.parametrize(("allowed", "is_refused"), [([], True), (MAY_WRITE_ID, False)])
async def test_the_end_of_a_transaction(
    tmp_path: Path, version: int, allowed: list[Allowed], is_refused: bool
) -> None:
    """Clients must be authorized to write to the transactional id."""
    response = await send(tmp_path, EndTxnRequest(**IDENTITY, committed=True), version, *allowed)

    assert (response.error_code == 53) == is_refused
    assert (response.producer_id, response.producer_epoch) == (-1, -1)


@pytest.mark.parametrize(
    ("allowed", "error"),
    [
        ([], 31),
        ([on_cluster(DESCRIBE)], 31),
        ([on_cluster(Operation.ALTER)], 0),
        ([on_cluster(Operation.CLUSTER_ACTION)], 0),
    ],
)
async def test_markers(tmp_path: Path, allowed: list[Allowed], error: int) -> None:
    """Brokers and administrators write them; the error is in each partition."""
    body = WriteTxnMarkersRequest(
        markers=[
            WritableTxnMarker(
                producer_id=3,
                producer_epoch=0,
                transaction_result=True,
                coordinator_epoch=0,
                topics=[WritableTxnMarkerTopic(name="a", partition_indexes=[0])],
            )
        ]
    )

    response = await send(tmp_path, body, 1, *allowed)

    ((result,),) = (topic.partitions for topic in response.markers[0].topics)
    assert result.error_code == error


@pytest.mark.parametrize(
    ("allowed", "errors", "topics"),
    [
        ([], {ID: 53, "none": 53}, []),
        (on_transactional_id(DESCRIBE, ID), {ID: 0, "none": 53}, []),
        (
            [*on_transactional_id(DESCRIBE, ID, "none"), *on_topic(DESCRIBE, "a")],
            {ID: 0, "none": 105},
            ["a"],
        ),
    ],
)
async def test_transactions_that_are_described(
    tmp_path: Path, allowed: list[Allowed], errors: dict[str, int], topics: list[str]
) -> None:
    """Topics that the client may not describe are left out."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        node.controller.create_topic("b")
        await producer.add(("a", [0]), ("b", [0]))
        install(node.node, FakeAuthorizer(*allowed))
        body = DescribeTransactionsRequest(transactional_ids=[ID, "none"])
        response = await producer.client.send(body)

    states = response.transaction_states
    assert {each.transactional_id: each.error_code for each in states} == errors
    assert [topic.topic for topic in states[0].topics] == topics
    assert states[0].producer_id == (producer.identity["producer_id"] if not errors[ID] else 0)


@pytest.mark.parametrize(
    ("allowed", "expected"), [([], []), (on_transactional_id(DESCRIBE, ID), [ID])]
)
async def test_transactions_that_are_listed(
    tmp_path: Path, allowed: list[Allowed], expected: list[str]
) -> None:
    """Those that the client may describe; refusals are not logged."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        authorizer = FakeAuthorizer(*allowed)
        install(node.node, authorizer)
        body = ListTransactionsRequest(state_filters=[], producer_id_filters=[])
        response = await producer.client.send(body)

    assert [each.transactional_id for each in response.transaction_states] == expected
    assert (response.error_code, authorizer.logged) == (0, [])
