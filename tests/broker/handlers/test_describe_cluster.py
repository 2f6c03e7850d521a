"""DescribeCluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.describe_cluster import DescribeClusterRequest
from tests.client import running_node

pytestmark = pytest.mark.anyio


def _request(endpoint_type: int = 1) -> DescribeClusterRequest:
    return DescribeClusterRequest(
        include_cluster_authorized_operations=False, endpoint_type=endpoint_type
    )


@pytest.mark.parametrize("version", range(3))
async def test_the_nodes(tmp_path: Path, version: int) -> None:
    """Each node with its address, and which one leads the cluster."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(), version)

        assert response.error_code == 0
        assert response.cluster_id == node.controller.image.cluster_id
        assert response.controller_id == 1
        assert [(each.broker_id, each.host, each.port) for each in response.brokers] == [
            (1, "127.0.0.1", 9092)
        ]


@pytest.mark.parametrize(
    ("endpoint_type", "error"),
    [(2, ErrorCode.MISMATCHED_ENDPOINT_TYPE), (9, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE)],
)
async def test_only_brokers_are_here(tmp_path: Path, endpoint_type: int, error: ErrorCode) -> None:
    """There is no controller to talk to (KIP-919)."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(endpoint_type), 1)

        assert (response.error_code, response.brokers) == (error, [])
