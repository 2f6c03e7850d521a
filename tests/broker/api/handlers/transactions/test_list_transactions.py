"""ListTransactions."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from broker.coordinators.coordinator_record import RawRecord
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.transactions.state_topic import transaction_state_topic
from protocol.errors import ErrorCode
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.list_transactions import ListTransactionsRequest
from tests.broker.api.authorization.fake_authorizer import FakeAuthorizer, install
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.broker.coordinators.kept_log import KeptLog
from tests.client import Client, running_node
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio


async def listed(client: Client, version: int = 2, **filters: Any) -> list[str]:
    """The ids that match *filters*."""
    request: dict[str, Any] = {"state_filters": [], "producer_id_filters": [], **filters}
    response = await client.send(ListTransactionsRequest(**request), version)
    assert response.error_code == 0
    return sorted(each.transactional_id for each in response.transaction_states)


async def begin_session(client: Client, transactional_id: str) -> None:
    """Create an id."""
    body = InitProducerIdRequest(transactional_id=transactional_id, transaction_timeout_ms=1000)
    assert (await client.send(body, 5)).error_code == 0


@pytest.mark.parametrize("version", range(3))
async def test_all_ids_are_listed_without_filters(tmp_path: Path, version: int) -> None:
    """With their producer ids and states."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        body = ListTransactionsRequest(state_filters=[], producer_id_filters=[])

        response = await producer.client.send(body, version)

        [state] = response.transaction_states
        assert (state.transactional_id, state.transaction_state) == (ID, "Empty")
        assert state.producer_id == producer.identity["producer_id"]


async def test_filters_are_combined(tmp_path: Path) -> None:
    """An id must match all of them."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await begin_session(producer.client, "other")
        await producer.add(("a", [0]))
        own = producer.identity["producer_id"]

        assert await listed(producer.client) == [ID, "other"]
        assert await listed(producer.client, state_filters=["Ongoing"]) == [ID]
        assert await listed(producer.client, state_filters=["Ongoing", "Empty"]) == [ID, "other"]
        assert await listed(producer.client, producer_id_filters=[own]) == [ID]
        assert not await listed(producer.client, state_filters=["Empty"], producer_id_filters=[own])


async def test_unknown_states_are_returned(tmp_path: Path) -> None:
    """Each of them once; names are case-sensitive."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        body = ListTransactionsRequest(
            state_filters=["empty", "Ongoing", "empty"], producer_id_filters=[]
        )

        response = await producer.client.send(body, 2)

        assert (response.unknown_state_filters, response.transaction_states) == (["empty"], [])


async def test_the_duration_is_the_time_since_the_start(tmp_path: Path) -> None:
    """An id without a transaction passes every such filter, as in Kafka."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await begin_session(producer.client, "idle")
        await producer.add(("a", [0]))

        assert await listed(producer.client, duration_filter=10_000) == ["idle"]
        assert await listed(producer.client, duration_filter=-1) == [ID, "idle"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("b.*", ["b1", "b2", ID]),
        ("b", []),
        ("b[12]", ["b1", "b2"]),
        ("", ["b1", "b2", ID]),
        (None, ["b1", "b2", ID]),
    ],
)
async def test_a_pattern_matches_whole_ids(
    tmp_path: Path, pattern: str | None, expected: list[str]
) -> None:
    """An empty one, and null, match all."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        for name in ("b1", "b2"):
            await begin_session(producer.client, name)

        assert await listed(producer.client, transactional_id_pattern=pattern) == expected


async def test_a_pattern_matches_ids_with_all_characters(tmp_path: Path) -> None:
    """Those of groups only match topic names, which are ASCII."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await begin_session(producer.client, "zahlung-\u00fc")

        for pattern in ("zahlung-.*", r"z\S+", r"zahlung-\p{Latin}"):
            assert await listed(producer.client, transactional_id_pattern=pattern) == [
                "zahlung-\u00fc"
            ]
        assert not await listed(producer.client, transactional_id_pattern=r"\p{Cherokee}")


async def test_an_invalid_pattern_is_refused(tmp_path: Path) -> None:
    """The response has no ids."""
    async with running_node(tmp_path) as node:
        body = ListTransactionsRequest(
            state_filters=[], producer_id_filters=[], transactional_id_pattern="("
        )

        response = await node.client().send(body, 2)

        assert response.error_code == ErrorCode.INVALID_REGULAR_EXPRESSION
        assert response.transaction_states == []


async def test_a_node_that_coordinates_nothing_lists_nothing(tmp_path: Path) -> None:
    """That is no error."""
    async with running_node(tmp_path) as node:
        assert await listed(node.client()) == []


async def test_nothing_is_listed_while_a_partition_is_loaded(tmp_path: Path) -> None:
    """The state is not known yet."""
    async with running_node(tmp_path) as node:
        topic = ensure_internal_topic(node.controller, transaction_state_topic(node.node.config))
        runtime = node.node.transactions.runtime
        runtime.on_resignation(0)
        log = KeptLog()
        log.append([RawRecord(b"\0\1", None)] * 400)
        log.read_max = 1
        short_slices(node.cluster.steps)
        runtime.on_election(0, log)
        client = node.client()
        client.start(ListTransactionsRequest(state_filters=[], producer_id_filters=[]), 2)

        response = await client.receive()

        assert len(topic.partitions) > 1
        assert response.error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


LONG_ID = "".join(random.Random(1).choices("ab", k=500))
LONG_MATCH = "(a|b)*a(a|b){90}c"


async def test_a_long_id_is_matched_in_slices(tmp_path: Path) -> None:
    """A slice ends within the id."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await begin_session(producer.client, LONG_ID)
        before = short_slices(node.cluster.steps)

        assert not await listed(producer.client, transactional_id_pattern=LONG_MATCH)

        assert node.cluster.steps.slices_run - before > 100


async def test_a_pattern_is_not_matched_with_hidden_ids(tmp_path: Path) -> None:
    """Those that the client may not describe cost no slices."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await begin_session(producer.client, LONG_ID)
        install(node.node, FakeAuthorizer())
        before = short_slices(node.cluster.steps)

        assert not await listed(producer.client, transactional_id_pattern=LONG_MATCH)

        assert node.cluster.steps.slices_run - before < 10
