"""DescribeLogDirs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


def _sizes(response: Any) -> dict[tuple[str, int], int]:
    return {
        (topic.name, each.partition_index): each.partition_size
        for topic in response.results[0].topics
        for each in topic.partitions
    }


@pytest.mark.parametrize("version", range(1, 6))
async def test_all_partitions_of_a_node(tmp_path: Path, version: int) -> None:
    """With their bytes on disk, and, from v4, those of the volume."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        (home,) = node.node.logs.directories

        response = await node.client().send(DescribeLogDirsRequest(topics=None), version)

        (result,) = response.results
        assert (result.error_code, result.log_dir) == (0, str(home.path))
        assert _sizes(response) == {("t", 0): 0, ("t", 1): 0}
        total = shutil.disk_usage(tmp_path).total
        assert result.total_bytes == (total if version >= 4 else -1)


async def test_some_partitions(tmp_path: Path) -> None:
    """Partitions that are not on the node are omitted."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        topics = [
            DescribableLogDirTopic(topic="t", partitions=[1, 9]),
            DescribableLogDirTopic(topic="unknown", partitions=[0]),
        ]

        some = await node.client().send(DescribeLogDirsRequest(topics=topics))
        none = await node.client().send(DescribeLogDirsRequest(topics=[]))

        assert _sizes(some) == {("t", 1): 0}
        assert _sizes(none) == {}


async def test_the_size_is_that_of_the_log(tmp_path: Path) -> None:
    """Each node describes its own directories only."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,), (2,)])
        log = cluster.node(2).logs.get(TopicPartition("t", 1))
        assert log is not None

        response = await cluster.client(2).send(DescribeLogDirsRequest(topics=None))

        assert _sizes(response) == {("t", 1): log.segments.size_bytes}


async def test_a_failed_directory(tmp_path: Path) -> None:
    """KAFKA_STORAGE_ERROR for that directory only."""
    async with running_node(tmp_path) as node:
        (home,) = node.node.logs.directories
        hidden = home.path.rename(home.path.with_name("hidden"))

        response = await node.client().send(DescribeLogDirsRequest(topics=None))
        hidden.rename(home.path)

        assert response.results[0].error_code == ErrorCode.KAFKA_STORAGE_ERROR
