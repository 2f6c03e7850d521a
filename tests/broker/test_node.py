"""A node with all its components."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from tests.batches import batch
from tests.client import running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


async def test_a_restarted_node_serves_its_records(tmp_path: Path) -> None:
    """The node was closed in order."""
    async with running_node(tmp_path, kept=True) as first:
        first.controller.create_topic("t")
        await first.client().send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)

    async with running_node(tmp_path, kept=True) as second:
        partition = second.node.replicas.partitions[TopicPartition("t", 0)]

        assert partition.log.high_watermark == 2
        assert partition.is_leader
