"""The addresses that responses contain, which are those of the client's listener."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from protocol.errors import ErrorCode
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.client import RunningCluster, running_cluster

pytestmark = pytest.mark.anyio


def _running(data_dir: Path) -> AbstractAsyncContextManager[RunningCluster]:
    return running_cluster(
        data_dir,
        brokers=2,
        listeners="PLAINTEXT://:9092,EXT://:9192,HIDDEN://:9292",
        advertised_listeners="PLAINTEXT://inside:100,EXT://outside:200",
        listener_security_protocol_map="PLAINTEXT:PLAINTEXT,EXT:PLAINTEXT,HIDDEN:PLAINTEXT",
    )


async def _metadata(cluster: RunningCluster, listener: str, version: int) -> Any:
    request = MetadataRequest(topics=[MetadataRequestTopic(name="t")])
    return await cluster.client(1, listener=listener).send(request, version)


@pytest.mark.parametrize(
    ("listener", "host", "port"), [("PLAINTEXT", "inside", 100), ("EXT", "outside", 200)]
)
async def test_clients_are_given_the_addresses_of_their_listener(
    tmp_path: Path, listener: str, host: str, port: int
) -> None:
    """In Metadata, DescribeCluster and FindCoordinator."""
    async with _running(tmp_path) as cluster:
        cluster.controller.create_topic("t")
        ensure_internal_topic(cluster.controller, offsets_topic(cluster.cluster.config))
        client = cluster.client(1, listener=listener)

        metadata = await _metadata(cluster, listener, 12)
        described = await client.send(
            DescribeClusterRequest(include_cluster_authorized_operations=False), 2
        )
        found = await client.send(
            FindCoordinatorRequest(key="g", key_type=0, coordinator_keys=[]), 3
        )

        addresses = [(host, port + 1), (host, port + 2)]
        assert [(b.host, b.port) for b in metadata.brokers] == addresses
        assert [(b.host, b.port) for b in described.brokers] == addresses
        assert (found.host, found.port) in addresses


@pytest.mark.parametrize(
    ("version", "error"),
    [(5, ErrorCode.LEADER_NOT_AVAILABLE), (6, ErrorCode.LISTENER_NOT_FOUND)],
)
async def test_a_listener_that_is_not_advertised_has_no_brokers(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """Its clients see partitions without leader, and the controller's id."""
    async with _running(tmp_path) as cluster:
        cluster.controller.create_topic("t")

        response = await _metadata(cluster, "HIDDEN", version)

        (partition,) = response.topics[0].partitions
        assert (response.brokers, response.controller_id) == ([], 1)
        assert (partition.error_code, partition.leader_id) == (error, -1)
        assert partition.replica_nodes


async def test_a_listener_that_is_not_advertised_has_no_coordinators(tmp_path: Path) -> None:
    """DescribeCluster has no brokers either."""
    async with _running(tmp_path) as cluster:
        ensure_internal_topic(cluster.controller, offsets_topic(cluster.cluster.config))
        client = cluster.client(1, listener="HIDDEN")

        described = await client.send(
            DescribeClusterRequest(include_cluster_authorized_operations=False), 2
        )
        found = await client.send(
            FindCoordinatorRequest(key="g", key_type=0, coordinator_keys=[]), 3
        )

        assert described.brokers == []
        assert found.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
