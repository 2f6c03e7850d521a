"""DescribeCluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.describe_cluster import DescribeClusterRequest
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


def _request(endpoint_type: int = 1) -> DescribeClusterRequest:
    return DescribeClusterRequest(
        include_cluster_authorized_operations=False, endpoint_type=endpoint_type
    )


@pytest.mark.parametrize("version", range(3))
async def test_the_nodes(tmp_path: Path, version: int) -> None:
    """Each broker with its address, and the controller."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(), version)

        assert response.error_code == 0
        assert response.cluster_id == node.controller.image.cluster_id
        assert response.controller_id == 1
        assert [(each.broker_id, each.host, each.port) for each in response.brokers] == [
            (1, "127.0.0.1", 9092)
        ]


@pytest.mark.parametrize(
    ("endpoint_type", "error", "words"),
    [
        (
            2,
            ErrorCode.MISMATCHED_ENDPOINT_TYPE,
            (
                "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of "
                "type CONTROLLER"
            ),
        ),
        (9, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, "Unsupported endpoint type 9"),
    ],
)
async def test_only_brokers_have_endpoints(
    tmp_path: Path, endpoint_type: int, error: ErrorCode, words: str
) -> None:
    """There are no controller endpoints (KIP-919)."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(endpoint_type), 1)

        assert (response.error_code, response.error_message) == (error, words)
        assert response.brokers == []


async def test_authorized_operations_are_returned_on_request(tmp_path: Path) -> None:
    """All operations of a cluster."""
    async with running_node(tmp_path) as node:
        request = _request()
        request.include_cluster_authorized_operations = True

        response = await node.client().send(request, 2)

        assert response.cluster_authorized_operations == 8096


async def test_a_stopped_node_is_listed_on_request(tmp_path: Path) -> None:
    """It is fenced, and never the controller (KIP-1073)."""
    async with running_cluster(tmp_path) as cluster:
        client = cluster.client(2)
        await cluster.cluster.stop(1)
        request = _request()

        alive = await client.send(request, 2)
        request.include_fenced_brokers = True
        all_brokers = await client.send(request, 2)

        assert [each.broker_id for each in alive.brokers] == [2, 3]
        assert [(each.broker_id, each.is_fenced) for each in all_brokers.brokers] == [
            (1, True),
            (2, False),
            (3, False),
        ]
        assert alive.controller_id == all_brokers.controller_id == 2
