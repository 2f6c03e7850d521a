"""ElectLeaders."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from protocol.errors import ErrorCode
from protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)
from tests.client import RunningCluster, running_cluster

pytestmark = pytest.mark.anyio

T0 = [TopicPartitions(topic="t", partitions=[0])]


async def _leader_away(cluster: RunningCluster) -> None:
    """A topic with the preferred leader 1 and the leader 2; all three nodes are in sync."""
    cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
    await cluster.cluster.stop(1)
    await cluster.cluster.start(1)
    await trio.sleep(2)


def _errors(response: ElectLeadersResponse) -> dict[tuple[str, int], int]:
    return {
        (topic.topic, each.partition_id): each.error_code
        for topic in response.replica_election_results
        for each in topic.partition_result
    }


async def test_the_preferred_leader_is_elected(tmp_path: Path) -> None:
    """Every node gets the change, and a second election is not needed."""
    async with running_cluster(tmp_path) as cluster:
        await _leader_away(cluster)
        client = cluster.client(2)

        first = await client.send(ElectLeadersRequest(topic_partitions=T0))
        second = await client.send(ElectLeadersRequest(topic_partitions=T0))

        assert _errors(first) == {("t", 0): ErrorCode.NONE}
        assert _errors(second) == {("t", 0): ErrorCode.ELECTION_NOT_NEEDED}
        assert [n.image.topics["t"].partitions[0].leader for n in cluster.cluster.nodes] == [1] * 3


async def test_null_means_all_partitions(tmp_path: Path) -> None:
    """Those that need no election are omitted."""
    async with running_cluster(tmp_path) as cluster:
        await _leader_away(cluster)
        cluster.controller.create_topic("u", assignments=[(2, 3)])

        response = await cluster.client(3).send(ElectLeadersRequest(topic_partitions=None))

        assert _errors(response) == {("t", 0): ErrorCode.NONE}


async def test_a_topic_without_elections_is_in_the_response(tmp_path: Path) -> None:
    """With null topics, as in Kafka."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])

        response = await cluster.client(3).send(ElectLeadersRequest(topic_partitions=None))

        [topic] = response.replica_election_results
        assert (topic.topic, topic.partition_result) == ("t", [])


async def test_an_error_has_a_message(tmp_path: Path) -> None:
    """Each partition has a result in its place, even if it is named twice."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3)])
        requested = [TopicPartitions(topic="t", partitions=[0, 7, 0])]

        response = await cluster.client(1).send(ElectLeadersRequest(topic_partitions=requested))

        [topic] = response.replica_election_results
        needless = "Leader election not needed for topic partition."
        assert [(each.partition_id, each.error_message) for each in topic.partition_result] == [
            (0, needless),
            (7, "No such partition as t-7"),
            (0, needless),
        ]


async def test_an_unknown_type_of_election_is_refused(tmp_path: Path) -> None:
    """INVALID_REQUEST, at the top and for each partition."""
    async with running_cluster(tmp_path) as cluster:
        request = ElectLeadersRequest(topic_partitions=T0, election_type=7)

        response = await cluster.client(1).send(request)

        assert response.error_code == ErrorCode.INVALID_REQUEST
        assert _errors(response) == {("t", 0): ErrorCode.INVALID_REQUEST}


async def test_the_type_is_not_checked_without_partitions(tmp_path: Path) -> None:
    """A request for no elections succeeds."""
    async with running_cluster(tmp_path) as cluster:
        request = ElectLeadersRequest(topic_partitions=[], election_type=2)

        response = await cluster.client(1).send(request)

        assert response.error_code == ErrorCode.NONE
        assert response.replica_election_results == []


@pytest.mark.parametrize("timeout_ms", [0, -1])
async def test_nothing_is_checked_without_topics(tmp_path: Path, timeout_ms: int) -> None:
    """With a topic that has no partitions, type and timeout are."""
    empty = [TopicPartitions(topic="t", partitions=[])]
    async with running_cluster(tmp_path, 1) as cluster:
        client = cluster.client(1)

        errors = []
        for topics, timeout in (([], timeout_ms), (empty, timeout_ms), (empty, 1000)):
            request = ElectLeadersRequest(
                election_type=7, topic_partitions=topics, timeout_ms=timeout
            )
            errors.append((await client.send(request)).error_code)

    assert errors == [0, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.INVALID_REQUEST]
