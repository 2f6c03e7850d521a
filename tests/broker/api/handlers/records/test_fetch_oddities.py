"""Unusual fetches, compared with Kafka."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from tests.batches import batch
from tests.client import running_cluster, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

SESSIONS_VERSION = 12


async def test_unknown_partitions_are_last_in_the_response(tmp_path: Path) -> None:
    """Whatever the request's order; their list of aborted transactions is empty, not null."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        request = fetch_request("t", 0, 0)
        request.topics[0].partitions.reverse()

        response = await client.send(request, FETCH_VERSION)

        known, unknown = response.responses[0].partitions
        assert (known.partition_index, known.aborted_transactions) == (0, None)
        assert (unknown.partition_index, unknown.aborted_transactions) == (1, [])


@pytest.mark.parametrize(
    ("replica_id", "order"),
    [(-1, ["known", "unknown id", 9, 8]), (7, ["known", 9, "unknown id", 8])],
)
async def test_the_order_of_unknown_topic_ids(
    tmp_path: Path, replica_id: int, order: list[int | str]
) -> None:
    """For a consumer they come before unknown partitions, for a follower as in the request."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        topic_id, unknown = node.controller.image.topics["t"].topic_id, UUID(int=5)
        topics = [
            FetchTopic(
                topic_id=each,
                partitions=[
                    FetchPartition(partition=index, fetch_offset=0, partition_max_bytes=100)
                ],
            )
            for each, index in ((topic_id, 9), (unknown, 0), (topic_id, 0), (topic_id, 8))
        ]
        state = ReplicaState(replica_id=replica_id, replica_epoch=-1)
        request = FetchRequest(max_wait_ms=0, min_bytes=0, topics=topics, replica_state=state)

        response = await node.client().send(request, 17)

        words = {(topic_id, 0): "known", (unknown, 0): "unknown id"}
        found = [
            words.get((topic.topic_id, each.partition_index), each.partition_index)
            for topic in response.responses
            for each in topic.partitions
        ]
        assert found == order


async def test_a_partition_without_room_has_no_list_of_aborted_transactions(tmp_path: Path) -> None:
    """Null if the limit leaves room for some bytes but not for a batch; empty if it leaves none."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        client, one = node.client(), batch(b"a")
        await client.send(produce_request("t", one, one), PRODUCE_VERSION)

        lists = []
        for max_bytes in (len(one), len(one) + 1, 2 * len(one)):
            request = fetch_request("t", 0, 0, max_bytes=max_bytes)
            request.isolation_level = 1
            response = await client.send(request, FETCH_VERSION)
            lists.append(response.responses[0].partitions[1].aborted_transactions)

        assert lists == [[], None, []]


async def test_of_a_partition_named_twice_the_last_counts(tmp_path: Path) -> None:
    """It is in the response once, from the offset named last."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        request = fetch_request("t", 0)
        request.topics += fetch_request("t", 1).topics

        response = await client.send(request, FETCH_VERSION)

        (topic,) = response.responses
        (partition,) = topic.partitions
        assert (partition.error_code, bytes(partition.records)) == (0, b"")


@pytest.mark.parametrize("limit", ["max_bytes", "partition_max_bytes"])
async def test_a_limit_below_zero_is_an_error(tmp_path: Path, limit: str) -> None:
    """As in Kafka, reading fails with UNKNOWN_SERVER_ERROR, but not without partitions to read."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)

        response = await client.send(fetch_request("t", 0, **{limit: -1}), FETCH_VERSION)

        at_end = await client.send(fetch_request("t", 1, **{limit: -1}), FETCH_VERSION)

        assert response.responses[0].partitions[0].error_code == ErrorCode.UNKNOWN_SERVER_ERROR
        assert at_end.responses[0].partitions[0].error_code == 0


async def test_a_refused_fetch_of_a_follower_is_one_of_a_follower(tmp_path: Path) -> None:
    """It is refused before its session is found, and counts as a follower's in wait records."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        unknown = FetchRequest(
            replica_id=2, max_wait_ms=0, min_bytes=1, session_id=99, session_epoch=5, topics=[]
        )

        await cluster.client(1).send(unknown, SESSIONS_VERSION)

        recorder = cluster.cluster.recorder
        assert recorder is not None
        [record] = recorder.recent
        assert (record.error, record.follower) == (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, True)
