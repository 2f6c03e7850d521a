"""FindCoordinator."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.coordinators.internal_topic import ensure_internal_topic, partition_for
from broker.groups.offsets_topic import offsets_topic
from broker.transactions.state_topic import transaction_state_topic
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("version", "key_type", "topic"),
    [
        *((version, 0, "__consumer_offsets") for version in range(7)),
        *((version, 1, "__transaction_state") for version in range(1, 7)),
    ],
)
async def test_the_first_request_creates_the_topic(
    tmp_path: Path, version: int, key_type: int, topic: str
) -> None:
    """Its error is retriable, as in Kafka; the response to the next request has the node."""
    async with running_node(tmp_path) as running:
        client = running.client()
        body = FindCoordinatorRequest(key="g", key_type=key_type, coordinator_keys=["g"])

        first, second = await client.send(body, version), await client.send(body, version)

        (unavailable,), (found,) = (
            [response] if version < 4 else response.coordinators for response in (first, second)
        )
        assert unavailable.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert (unavailable.node_id, unavailable.host, unavailable.port) == (-1, "", -1)
        if version:
            words = "The coordinator is not available." if version < 4 else ""
            assert unavailable.error_message == words
        assert (found.error_code, found.node_id) == (ErrorCode.NONE, 1)
        assert set(running.controller.image.topics) == {topic}


@pytest.mark.parametrize("version", range(4))
@pytest.mark.parametrize("key_type", [0, 1])
async def test_a_single_node_coordinates(tmp_path: Path, version: int, key_type: int) -> None:
    """Of every group, and of every transactional id, which v0 does not have."""
    async with running_node(tmp_path) as running:
        ensure_internal_topic(running.controller, offsets_topic(running.node.config))
        ensure_internal_topic(running.controller, transaction_state_topic(running.node.config))
        body = FindCoordinatorRequest(key="g", key_type=key_type if version else 0)

        response = await running.client().send(body, version)

        coordinator = (response.node_id, response.host, response.port)
        assert coordinator == (1, "127.0.0.1", running.node.port)
        assert response.error_code == ErrorCode.NONE
        if version:
            assert response.error_message == "NONE"


@pytest.mark.parametrize("version", range(4, 7))
async def test_many_coordinators_are_found_at_once(tmp_path: Path, version: int) -> None:
    """One result for each key, in the same order, with duplicates and empty keys."""
    async with running_node(tmp_path) as running:
        ensure_internal_topic(running.controller, offsets_topic(running.node.config))
        body = FindCoordinatorRequest(coordinator_keys=["g", "", "g"])

        response = await running.client().send(body, version)

        assert [(each.key, each.node_id, each.error_code) for each in response.coordinators] == [
            ("g", 1, ErrorCode.NONE),
            ("", 1, ErrorCode.NONE),
            ("g", 1, ErrorCode.NONE),
        ]


@pytest.mark.parametrize("key_type", [2, 5, -1])
async def test_other_keys_have_no_coordinator(tmp_path: Path, key_type: int) -> None:
    """Share partitions, and unknown types."""
    async with running_node(tmp_path) as running:
        client = running.client()

        old = await client.send(FindCoordinatorRequest(key="g", key_type=key_type), 3)
        new = await client.send(
            FindCoordinatorRequest(coordinator_keys=["g"], key_type=key_type), 6
        )

        assert (old.error_code, old.node_id, old.host, old.port) == (
            ErrorCode.INVALID_REQUEST,
            -1,
            "",
            -1,
        )
        [coordinator] = new.coordinators
        assert (coordinator.error_code, coordinator.node_id) == (ErrorCode.INVALID_REQUEST, -1)


async def test_every_node_names_the_leader_of_the_groups_partition(tmp_path: Path) -> None:
    """Groups are spread over the nodes, and all nodes return the same coordinators."""
    async with running_cluster(tmp_path) as cluster:
        ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
        groups = [f"group-{number}" for number in range(8)]
        body = FindCoordinatorRequest(coordinator_keys=groups)

        responses = [await cluster.client(node).send(body) for node in (1, 2, 3)]

        topic = cluster.controller.image.topics["__consumer_offsets"]
        leaders = [
            topic.partitions[partition_for(group, len(topic.partitions))].leader for group in groups
        ]
        assert topic.internal
        assert len(set(leaders)) > 1
        for response in responses:
            assert [each.node_id for each in response.coordinators] == leaders


async def test_a_group_whose_partition_has_no_leader_has_none(tmp_path: Path) -> None:
    """COORDINATOR_NOT_AVAILABLE, which is retriable."""
    async with running_cluster(
        tmp_path, 2, offsets_topic_replication_factor="1", offsets_topic_num_partitions="2"
    ) as cluster:
        body = FindCoordinatorRequest(coordinator_keys=["a", "b"])
        await cluster.client(1).send(body)
        await cluster.cluster.stop(2)

        response = await cluster.client(1).send(body)

        assert sorted((each.node_id, each.error_code) for each in response.coordinators) == [
            (-1, ErrorCode.COORDINATOR_NOT_AVAILABLE),
            (1, ErrorCode.NONE),
        ]
