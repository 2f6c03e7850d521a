"""The topic of wait records."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.wait_records.limits import TOPIC_BATCH_RECORDS
from broker.wait_records.records_topic import RecordsTopic
from protocol.record_batch.batch import batches, records
from tests.client import RunningCluster, running_cluster
from tests.requests import FETCH_VERSION, fetch_request

pytestmark = pytest.mark.anyio


async def _values(cluster: RunningCluster, node: int, partition: int = 0) -> list[bytes | None]:
    answer = await cluster.client(node).send(fetch_request("waits", 0), FETCH_VERSION)
    data = answer.responses[0].partitions[0].records
    return [each.value for position, _ in batches(data) for each in records(data, position)]


def _counts(topic: RecordsTopic) -> tuple[int, int]:
    told = topic.statistics()
    return told["written"], told["dropped"]


async def test_lines_become_records_in_their_order(tmp_path: Path) -> None:
    """Batch by batch; what a cancelled flush has left is written at the end."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("waits")
        topic = RecordsTopic(cluster.cluster, "waits")
        lines = [b"%d" % number for number in range(TOPIC_BATCH_RECORDS + 1)]

        topic.add(lines)
        with trio.move_on_after(0):
            await topic.flush()
        assert _counts(topic) == (TOPIC_BATCH_RECORDS, 0)
        topic.close()

        assert _counts(topic) == (TOPIC_BATCH_RECORDS + 1, 0)
        assert await _values(cluster, 1) == lines


async def test_a_waiting_consumer_is_woken(tmp_path: Path) -> None:
    """As by any producer."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("waits")
        topic = RecordsTopic(cluster.cluster, "waits")
        client = cluster.client(1)
        client.start(fetch_request("waits", 0, min_bytes=1, max_wait_ms=9000), FETCH_VERSION)
        await trio.sleep(1)

        topic.add([b"a"])
        topic.close()

        assert (await client.receive()).responses[0].partitions[0].high_watermark == 1
        assert trio.current_time() < 9


async def test_batches_go_to_the_leaders_that_run(tmp_path: Path) -> None:
    """In turn, and past those that do not."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic("waits", assignments=[(1,), (2,)])
        topic = RecordsTopic(cluster.cluster, "waits")
        await cluster.cluster.stop(2)

        for line in (b"a", b"b"):
            topic.add([line])
            await topic.flush()

        assert await _values(cluster, 1) == [b"a", b"b"]


async def test_without_a_leader_records_are_dropped(tmp_path: Path) -> None:
    """And counted; so when the topic has been deleted."""
    async with running_cluster(tmp_path, 1) as cluster:
        topic = RecordsTopic(cluster.cluster, "waits")

        topic.add([b"a", b"b"])
        await topic.flush()

        assert _counts(topic) == (0, 2)


async def test_a_refused_batch_is_counted(tmp_path: Path) -> None:
    """Such as one that is larger than the topic allows."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("waits", configs={"max.message.bytes": "100"})
        topic = RecordsTopic(cluster.cluster, "waits")

        topic.add([bytes(200)])
        await topic.flush()

        assert _counts(topic) == (0, 1)
