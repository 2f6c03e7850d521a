"""Chores that come round, in virtual time."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.topic_partition import TopicPartition
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tests.batches import batch
from tests.client import running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

HOUR_S = 3600


async def test_old_segments_go_when_their_time_is_over(tmp_path: Path) -> None:
    """Retention by time removes whole segments, and the log start follows."""
    async with running_node(tmp_path) as node:
        configs = {"retention.ms": str(HOUR_S * 1000), "segment.bytes": str(1 << 20)}
        node.controller.create_topic("t", configs=configs)
        client = node.client()
        for _ in range(3):
            await client.send(produce_request("t", batch(bytes(700_000))), PRODUCE_VERSION)
        log = node.node.replicas.partitions[TopicPartition("t", 0)].log
        assert log.log_start_offset == 0

        await trio.sleep(2 * HOUR_S)

        earliest = ListOffsetsRequest(
            replica_id=-1,
            topics=[
                ListOffsetsTopic(
                    name="t", partitions=[ListOffsetsPartition(partition_index=0, timestamp=-2)]
                )
            ],
        )
        (answer,) = (await client.send(earliest, 5)).topics[0].partitions
        assert answer.offset == log.log_start_offset > 0


async def test_checkpoints_are_written_while_the_broker_runs(tmp_path: Path) -> None:
    """Every five seconds by default: a node that was stopped reads them when it starts."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await node.client().send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)
        checkpoint = tmp_path / "node-1" / "replication-offset-checkpoint"

        await trio.sleep(4.9)
        before = checkpoint.exists()
        await trio.sleep(0.2)

        assert not before
        assert checkpoint.read_text().splitlines() == ["0", "1", "t 0 2"]
