"""Produces whose batches take long to validate: a worker thread validates them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.common.topic_partition import TopicPartition
from broker.wait_records.recorder import Recorder
from protocol.compression import Codec
from protocol.errors import ErrorCode
from tests.batches import batch
from tests.client import running_cluster, running_node
from tests.held_offload import HeldOffload
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


def _partitions(response: Any) -> dict[tuple[str, int], tuple[ErrorCode, int]]:
    return {
        (topic.name, partition.index): (ErrorCode(partition.error_code), partition.base_offset)
        for topic in response.responses
        for partition in topic.partition_responses
    }


LONG = batch(*[bytes(100_000)] * 8, codec=Codec.GZIP)


async def test_a_long_batch_is_appended_when_a_worker_has_validated_it(tmp_path: Path) -> None:
    """Other clients are served meanwhile; the offsets follow the order of the appends."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t")
        slow, quick = node.client(), node.client()

        slow.start(produce_request("t", LONG), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        between = await quick.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        offload.finish_next()

        assert _partitions(between) == {("t", 0): (ErrorCode.NONE, 0)}
        assert _partitions(await slow.receive()) == {("t", 0): (ErrorCode.NONE, 1)}
        assert node.node.replicas.partitions[TopicPartition("t", 0)].log.log_end_offset == 9


async def test_a_short_batch_is_appended_at_once(tmp_path: Path) -> None:
    """Even if it is compressed."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t")
        for codec in Codec:
            await node.client().send(produce_request("t", batch(b"a", codec=codec)), 9)

        assert not offload.jobs


@pytest.mark.parametrize("scratch", [True, False])
async def test_a_worker_reads_a_copy_of_the_records(tmp_path: Path, scratch: bool) -> None:
    """Other connections, and pipelined requests, use the connection's buffer meanwhile."""
    offload = HeldOffload()
    padding = 0 if scratch else 300_000
    noise = random.Random(1).randbytes(padding)
    records = batch(noise, *[bytes(100_000)] * 8, codec=Codec.GZIP)
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t")
        client, other = node.client(), node.client()

        client.start(produce_request("t", records), PRODUCE_VERSION)
        client.start(produce_request("t", batch(b"x" * 200_000)), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(3):
            await other.send(produce_request("t", batch(b"x" * 60_000)), PRODUCE_VERSION)
        offload.finish_next()
        assert _partitions(await client.receive()) == {("t", 0): (ErrorCode.NONE, 3)}
        assert _partitions(await client.receive()) == {("t", 0): (ErrorCode.NONE, 12)}


async def test_the_leader_is_checked_after_the_validation(tmp_path: Path) -> None:
    """No records are appended to a topic that was deleted meanwhile."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t")
        client = node.client()

        client.start(produce_request("t", LONG), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        node.controller.delete_topic("t")
        offload.finish_next()

        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert _partitions(await client.receive()) == {("t", 0): (unknown, -1)}


async def test_long_batches_with_acks_0_are_appended_after_a_disconnect(
    tmp_path: Path,
) -> None:
    """All complete requests that arrived are appended, as in Kafka."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t")
        client = node.client()
        for _ in range(3):
            client.start(produce_request("t", LONG, acks=0), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        client.close()
        for _ in range(3):
            await trio.testing.wait_all_tasks_blocked()
            offload.finish_next()

        assert node.node.replicas.partitions[TopicPartition("t", 0)].log.log_end_offset == 24


async def test_a_long_batch_that_is_refused_has_its_error(tmp_path: Path) -> None:
    """Like a short batch; with acks=0 the connection closes."""
    offload = HeldOffload()
    wrong = bytearray(LONG)
    wrong[-1] ^= 1
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t", partitions=2)
        client = node.client()

        client.start(produce_request("t", LONG, bytes(wrong)), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        offload.finish_next()
        assert _partitions(await client.receive()) == {
            ("t", 0): (ErrorCode.NONE, 0),
            ("t", 1): (ErrorCode.CORRUPT_MESSAGE, -1),
        }

        client.start(produce_request("t", LONG, bytes(wrong), acks=0), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        offload.finish_next()
        assert await client.closed()


async def test_validation_counts_as_local_time_in_the_wait_record(tmp_path: Path) -> None:
    """The request is parked only when its records wait for followers."""
    offload = HeldOffload()
    async with running_cluster(tmp_path, 2, recorder=Recorder, offload=offload) as cluster:
        cluster.controller.create_topic("t", replication_factor=2)
        await trio.testing.wait_all_tasks_blocked()
        topic = cluster.controller.topic("t")
        assert topic is not None
        leader = topic.partitions[0].leader
        follower = 3 - leader
        cluster.cluster.pause(follower)
        client = cluster.client(leader)

        client.start(produce_request("t", LONG, acks=-1), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(0.5)
        offload.finish_next()
        cluster.cluster.resume(follower)
        await client.receive()

        assert cluster.cluster.recorder is not None
        [response] = [
            each.to_dict() for each in cluster.cluster.recorder.recent if each.header.api_key == 0
        ]
        assert response["local_us"] >= 500_000
        assert response["purgatory"] == "Produce"
        assert response["waited_for"]["kind"] == "high_watermark"
