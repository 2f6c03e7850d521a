"""Produces whose batches take long to validate: a worker thread does it."""

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
    """Also if it is compressed."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t")
        for codec in Codec:
            await node.client().send(produce_request("t", batch(b"a", codec=codec)), 9)

        assert not offload.jobs


@pytest.mark.parametrize("scratch", [True, False])
async def test_a_worker_reads_the_records_as_they_came(tmp_path: Path, scratch: bool) -> None:
    """Though the connection's buffer is used by others, and by the requests behind it."""
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


async def test_who_leads_is_looked_at_when_the_worker_is_done(tmp_path: Path) -> None:
    """A topic that was deleted meanwhile has no records appended."""
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


async def test_long_batches_without_acks_are_appended_though_the_producer_leaves(
    tmp_path: Path,
) -> None:
    """All that it has sent: Kafka reads to the end, too."""
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
    """As a short one; with acks=0 the connection ends."""
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


async def test_a_worker_counts_as_local_work_in_the_wait_record(tmp_path: Path) -> None:
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
        [told] = [
            each.to_dict() for each in cluster.cluster.recorder.recent if each.header.api_key == 0
        ]
        assert told["local_us"] >= 500_000
        assert told["purgatory"] == "Produce"
        assert told["waited_for"]["kind"] == "high_watermark"
