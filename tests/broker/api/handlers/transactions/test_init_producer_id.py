"""InitProducerId."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.transactions.state_topic import transaction_state_topic
from protocol.errors import ErrorCode
from protocol.messages.init_producer_id import InitProducerIdRequest
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


def _request(transactional_id: str | None = None) -> InitProducerIdRequest:
    return InitProducerIdRequest(transactional_id=transactional_id, transaction_timeout_ms=1000)


@pytest.mark.parametrize("version", range(6))
async def test_every_producer_gets_a_new_id(tmp_path: Path, version: int) -> None:
    """Two producers never share an id."""
    async with running_node(tmp_path) as node:
        client = node.client()

        one, other = [await client.send(_request(), version) for _ in range(2)]

        assert (one.error_code, one.producer_epoch) == (0, 0)
        assert other.producer_id != one.producer_id


async def test_a_transactional_id_keeps_its_producer_id(tmp_path: Path) -> None:
    """Its epoch grows, which fences the producer before."""
    async with running_node(tmp_path) as node:
        ensure_internal_topic(node.controller, transaction_state_topic(node.node.config))
        client = node.client()

        responses = [await client.send(_request("t"), 5) for _ in range(2)]

        assert [(each.error_code, each.producer_epoch) for each in responses] == [(0, 0), (0, 1)]
        assert responses[0].producer_id == responses[1].producer_id


async def test_an_empty_transactional_id_is_invalid(tmp_path: Path) -> None:
    """Before it is checked whether this node is its coordinator."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(""), 4)

        assert (response.error_code, response.producer_id) == (ErrorCode.INVALID_REQUEST, -1)


async def test_only_its_coordinator_knows_a_transactional_id(tmp_path: Path) -> None:
    """There is none before the topic exists."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request("t"), 5)

        assert response.error_code == ErrorCode.NOT_COORDINATOR


@pytest.mark.parametrize(
    ("version", "error"),
    [(3, ErrorCode.INVALID_PRODUCER_EPOCH), (4, ErrorCode.PRODUCER_FENCED)],
)
async def test_older_versions_have_another_error_for_fenced_producers(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """PRODUCER_FENCED exists since v4."""
    async with running_node(tmp_path) as node:
        ensure_internal_topic(node.controller, transaction_state_topic(node.node.config))
        client = node.client()
        first = await client.send(_request("t"), 5)
        request = _request("t")
        request.producer_id, request.producer_epoch = first.producer_id + 1, 0

        response = await client.send(request, version)

        assert (response.error_code, response.producer_id) == (error, -1)


async def test_the_response_waits_for_the_replicas(tmp_path: Path) -> None:
    """It is COORDINATOR_NOT_AVAILABLE after the timeout of the transaction."""
    async with running_cluster(tmp_path, 2) as cluster:
        ensure_internal_topic(cluster.controller, transaction_state_topic(cluster.node(1).config))
        node = cluster.node(1)
        leader = node.transactions.runtime.coordinator("t", node.image).node_id
        cluster.cluster.pause(3 - leader)
        began = trio.current_time()

        response = await cluster.client(leader).send(_request("t"), 5)

        assert response.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert trio.current_time() - began == pytest.approx(1, abs=0.01)


async def test_a_node_without_producer_ids_is_loading(tmp_path: Path) -> None:
    """Until the controller has responded to its request for a block."""
    async with running_node(tmp_path) as node:
        node.node.channel.hold()
        client = node.client()

        first = await client.send(_request(), 5)
        node.node.channel.release()
        second = await client.send(_request(), 5)

        assert first.error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        assert (second.error_code, second.producer_id) == (ErrorCode.NONE, 0)


@pytest.mark.parametrize(("producer_id", "epoch"), [(5, -1), (-1, 5)])
async def test_an_id_needs_an_epoch(tmp_path: Path, producer_id: int, epoch: int) -> None:
    """One without the other is refused."""
    async with running_node(tmp_path) as node:
        request = _request()
        request.producer_id, request.producer_epoch = producer_id, epoch

        response = await node.client().send(request, 4)

        assert (response.error_code, response.producer_id) == (ErrorCode.INVALID_REQUEST, -1)
