"""The topic to which wait records are produced."""

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


def records_topic(cluster: RunningCluster) -> RecordsTopic:
    """The sink for the topic ``waits``."""
    return RecordsTopic("waits", cluster.cluster, cluster.cluster.clock)


async def _values(cluster: RunningCluster, node: int) -> list[bytes | None]:
    """The records of partition 0 on a node."""
    response = await cluster.client(node).send(fetch_request("waits", 0), FETCH_VERSION)
    data = response.responses[0].partitions[0].records
    return [each.value for position, _ in batches(data) for each in records(data, position)]


def _counts(topic: RecordsTopic) -> tuple[int, int]:
    """How many records were written and dropped."""
    statistics = topic.statistics()
    return statistics["written"], statistics["dropped"]


async def test_records_are_appended_in_order(tmp_path: Path) -> None:
    """A cancelled flush leaves the rest to `close`."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("waits")
        topic = records_topic(cluster)
        lines = [b"%d" % number for number in range(TOPIC_BATCH_RECORDS + 1)]

        topic.add(lines)
        with trio.move_on_after(0):
            await topic.flush()
        assert _counts(topic) == (TOPIC_BATCH_RECORDS, 0)
        topic.close()

        assert _counts(topic) == (TOPIC_BATCH_RECORDS + 1, 0)
        assert await _values(cluster, 1) == lines


async def test_an_append_completes_a_waiting_fetch(tmp_path: Path) -> None:
    """As the append of a producer does."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("waits")
        topic = records_topic(cluster)
        client = cluster.client(1)
        client.start(fetch_request("waits", 0, min_bytes=1, max_wait_ms=9000), FETCH_VERSION)
        await trio.sleep(1)

        topic.add([b"a"])
        topic.close()

        assert (await client.receive()).responses[0].partitions[0].high_watermark == 1
        assert trio.current_time() < 9


async def test_partitions_without_a_running_leader_are_skipped(tmp_path: Path) -> None:
    """Both batches go to the partition of the node that runs."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic("waits", assignments=[(1,), (2,)])
        topic = records_topic(cluster)
        await cluster.cluster.stop(2)

        for line in (b"a", b"b"):
            topic.add([line])
            await topic.flush()

        assert await _values(cluster, 1) == [b"a", b"b"]


async def test_records_without_a_topic_are_dropped_and_counted(tmp_path: Path) -> None:
    """A client may have deleted the topic."""
    async with running_cluster(tmp_path, 1) as cluster:
        topic = records_topic(cluster)

        topic.add([b"a", b"b"])
        await topic.flush()

        assert _counts(topic) == (0, 2)


async def test_a_refused_batch_is_dropped_and_counted(tmp_path: Path) -> None:
    """Here it is larger than ``max.message.bytes`` of the topic."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("waits", configs={"max.message.bytes": "100"})
        topic = records_topic(cluster)

        topic.add([bytes(200)])
        await topic.flush()

        assert _counts(topic) == (0, 1)
