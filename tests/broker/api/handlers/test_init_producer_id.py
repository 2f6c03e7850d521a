"""InitProducerId."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.init_producer_id import InitProducerIdRequest
from tests.client import running_node

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


@pytest.mark.parametrize(
    ("transactional_id", "error"),
    [
        ("", ErrorCode.INVALID_REQUEST),
        ("t", ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
    ],
)
async def test_transactional_ids_are_refused(
    tmp_path: Path, transactional_id: str, error: ErrorCode
) -> None:
    """Transactions are not served, and an empty id is invalid."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(transactional_id), 4)

        assert (response.error_code, response.producer_id) == (error, -1)


@pytest.mark.parametrize(("producer_id", "epoch"), [(5, -1), (-1, 5)])
async def test_an_id_needs_an_epoch(tmp_path: Path, producer_id: int, epoch: int) -> None:
    """One without the other is refused."""
    async with running_node(tmp_path) as node:
        request = _request()
        request.producer_id, request.producer_epoch = producer_id, epoch

        response = await node.client().send(request, 4)

        assert (response.error_code, response.producer_id) == (ErrorCode.INVALID_REQUEST, -1)
