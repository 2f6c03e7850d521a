"""Tests of periodic work on logs, in virtual time: `broker.storage.log_tasks`."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from broker.common.topic_partition import TopicPartition
from broker.steps.limits import SLICE_MS
from broker.storage.log.unified_log import UnifiedLog
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from tests.batches import batch
from tests.client import EPOCH_MS, RunningNode, running_node
from tests.requests import PRODUCE_VERSION, produce_request
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio

HOUR_S = 3600


def files(folder: Path, pattern: str) -> set[str]:
    """The names of the files in the directory."""
    return {path.name for path in folder.glob(pattern)}


async def test_old_segments_are_deleted_by_time(tmp_path: Path) -> None:
    """Retention deletes whole segments, and raises the log start offset."""
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
        (partition,) = (await node.client().send(earliest, 5)).topics[0].partitions
        assert partition.offset == log.log_start_offset > 0


async def test_checkpoints_are_written_while_the_broker_runs(tmp_path: Path) -> None:
    """Every five seconds by default; a node that was stopped reads them when it starts."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await node.client().send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)
        checkpoint = tmp_path / "node-1" / "replication-offset-checkpoint"

        await trio.sleep(4.9)
        before = checkpoint.exists()
        await trio.sleep(0.2)

        assert not before
        assert checkpoint.read_text().splitlines() == ["0", "1", "t 0 2"]


async def test_a_checkpoint_of_many_logs_takes_several_slices(tmp_path: Path) -> None:
    """Other requests are served between two of them."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=10)
        before = short_slices(node.cluster.steps)

        await trio.sleep(5.1)

        lines = (tmp_path / "node-1" / "replication-offset-checkpoint").read_text().splitlines()
        assert lines[:2] == ["0", "10"]
        assert node.cluster.steps.slices_run - before >= 10 / SLICE_MS


async def test_each_checkpoint_has_its_own_interval(tmp_path: Path) -> None:
    """High watermarks every five seconds, the other two every minute."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        names = {"replication": 5, "recovery-point": 60, "log-start": 60}
        paths = {name: tmp_path / "node-1" / f"{name}-offset-checkpoint" for name in names}
        at_s = 0
        for until_s in (4, 6, 59, 61):
            await trio.sleep(until_s - at_s)
            at_s = until_s
            written = {name for name, path in paths.items() if path.exists()}
            assert written == {name for name, interval_s in names.items() if interval_s < at_s}


async def test_deleted_segments_are_removed_later(tmp_path: Path) -> None:
    """A minute after retention has renamed them."""
    async with running_node(tmp_path) as node:
        configs = {"retention.ms": "1000", "segment.bytes": str(1 << 20)}
        node.controller.create_topic("t", configs=configs)
        client = node.client()
        for _ in range(3):
            await client.send(produce_request("t", batch(bytes(700_000))), PRODUCE_VERSION)

        await trio.sleep(31)
        out_of_sight = files(tmp_path / "node-1" / "t-0", "*.log.deleted")
        await trio.sleep(60)

        assert out_of_sight
        assert not files(tmp_path / "node-1" / "t-0", "*.deleted")


async def test_a_log_is_flushed_by_time(tmp_path: Path) -> None:
    """``flush.ms``, checked every ``log.flush.scheduler.interval.ms``."""
    async with running_node(
        tmp_path,
        log_flush_scheduler_interval_ms="1000",
        log_flush_interval_ms="5000",
        log_initial_task_delay_ms="0",
    ) as node:
        node.controller.create_topic("t")
        await node.client().send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)
        log = node.node.replicas.partitions[TopicPartition("t", 0)].log

        await trio.sleep(4.5)
        before = log.local_log.recovery_point
        await trio.sleep(1)

        assert (before, log.local_log.recovery_point) == (0, 2)


async def test_a_compacted_topic_is_compacted(tmp_path: Path) -> None:
    """The cleaner starts every ``log.cleaner.backoff.ms``, and pauses for requests."""
    async with running_node(tmp_path, log_cleaner_backoff_ms="5000") as node:
        configs = {"cleanup.policy": "compact", "segment.bytes": str(1 << 20)}
        node.controller.create_topic("t", configs=configs)
        client = node.client()
        for _ in range(6):
            sent = build_batch([Record(b"k", bytes(700_000), timestamp=int(EPOCH_MS))])
            await client.send(produce_request("t", sent), PRODUCE_VERSION)
        log = node.node.replicas.partitions[TopicPartition("t", 0)].log
        before = log.segments.size_bytes

        await trio.sleep(6)

        assert log.segments.size_bytes < before / 2
        assert log.high_watermark == 6
        assert files(tmp_path / "node-1", "cleaner-offset-checkpoint")


async def _three_segments(node: RunningNode, **configs: str) -> UnifiedLog:
    """A topic with a batch of 700 kB in each of three segments."""
    given = {key.replace("_", "."): value for key, value in configs.items()}
    node.controller.create_topic("t", configs={"segment.bytes": str(1 << 20), **given})
    client = node.client()
    for _ in range(3):
        sent = build_batch([Record(b"k", bytes(700_000), timestamp=int(EPOCH_MS))])
        await client.send(produce_request("t", sent), PRODUCE_VERSION)
    return node.node.replicas.partitions[TopicPartition("t", 0)].log


async def test_old_segments_are_deleted_by_size(tmp_path: Path) -> None:
    """Retention by size keeps at least ``retention.bytes``."""
    async with running_node(tmp_path) as node:
        log = await _three_segments(node, retention_bytes="800000")
        await trio.sleep(29)
        before = log.log_start_offset
        await trio.sleep(2)

        assert (before, log.log_start_offset) == (0, 1)
        assert log.segments.size_bytes > 800_000


async def test_a_changed_retention_applies_at_the_next_check(tmp_path: Path) -> None:
    """Also to existing records."""
    async with running_node(tmp_path) as node:
        log = await _three_segments(node)
        await trio.sleep(60)
        before = log.log_start_offset
        node.controller.alter_topic_configs("t", lambda was: {**was, "retention.ms": "1000"})

        await trio.sleep(300)

        assert (before, log.log_start_offset) == (0, 3)


async def test_segments_below_the_log_start_are_deleted(tmp_path: Path) -> None:
    """DeleteRecords raises the log start offset; the next check deletes the files."""
    async with running_node(tmp_path) as node:
        log = await _three_segments(node, retention_ms="-1")
        log.maybe_increment_log_start_offset(2)
        folder = tmp_path / "node-1" / "t-0"
        before = files(folder, "*.log")

        await trio.sleep(31 + 60)

        assert len(before) == 3
        assert files(folder, "*.log*") == {"00000000000000000002.log"}


async def test_a_topic_is_compacted_and_deleted(tmp_path: Path) -> None:
    """With both policies superseded records are removed, and old segments are deleted."""
    async with running_node(tmp_path, log_cleaner_backoff_ms="5000") as node:
        log = await _three_segments(
            node, cleanup_policy="compact,delete", retention_ms=str(HOUR_S * 1000)
        )
        sizes = [log.segments.size_bytes]
        await trio.sleep(6)
        sizes.append(log.segments.size_bytes)
        # It has no batch, and the clock of its file is not virtual.
        log.segments.first.file.set_modified_ms(int(EPOCH_MS))
        await trio.sleep(2 * HOUR_S)

        assert sizes[1] < sizes[0]
        assert (log.log_start_offset, log.segments.size_bytes) == (3, 0)


async def test_the_cleaner_deletes_old_segments_of_compacted_topics(tmp_path: Path) -> None:
    """In each of its rounds; the retention task leaves these topics to it, as in Kafka."""
    async with running_node(tmp_path, log_cleaner_backoff_ms="5000") as node:
        log = await _three_segments(node, cleanup_policy="compact,delete", retention_ms="1000")

        await trio.sleep(6)

        assert log.log_start_offset == 3


@pytest.mark.parametrize("policy", ["compact", "compact,delete"])
async def test_a_disabled_cleaner_does_not_change_compacted_topics(
    tmp_path: Path, policy: str
) -> None:
    """With log.cleaner.enable=false nothing is compacted, and no segment deleted."""
    async with running_node(
        tmp_path, log_cleaner_backoff_ms="5000", log_cleaner_enable="false"
    ) as node:
        log = await _three_segments(node, cleanup_policy=policy, retention_ms="1000")
        before = log.segments.size_bytes

        await trio.sleep(HOUR_S)

        assert (log.log_start_offset, log.segments.size_bytes) == (0, before)


async def test_a_changed_backoff_of_the_cleaner_applies_at_once(tmp_path: Path) -> None:
    """Not only after the round that waits for the earlier one."""
    async with running_node(tmp_path, log_cleaner_backoff_ms=str(24 * HOUR_S * 1000)) as node:
        log = await _three_segments(node, cleanup_policy="compact")
        before = log.segments.size_bytes
        node.controller.alter_broker_configs(
            "", lambda was: {**was, "log.cleaner.backoff.ms": "5000"}
        )

        await trio.sleep(6)

        assert log.segments.size_bytes < before


async def test_a_deleted_partition_is_removed_after_the_delay_of_the_node(tmp_path: Path) -> None:
    """Its topic's ``file.delete.delay.ms`` applies to single segments."""
    async with running_node(tmp_path, log_segment_delete_delay_ms="4000") as node:
        logs = node.node.logs
        given = logs.delete_delay_ms()
        node.controller.alter_broker_configs(
            "", lambda was: {**was, "log.segment.delete.delay.ms": "5000"}
        )
        await trio.sleep(1)

        assert (given, logs.delete_delay_ms()) == (4000, 5000)


async def test_retention_does_not_apply_to_compacted_topics(tmp_path: Path) -> None:
    """Only to those with the policy ``delete``."""
    async with running_node(tmp_path) as node:
        log = await _three_segments(
            node, cleanup_policy="compact", retention_ms="1000", retention_bytes="1000"
        )

        await trio.sleep(HOUR_S)

        assert log.log_start_offset == 0


async def test_no_task_runs_while_the_clock_is_stopped(tmp_path: Path) -> None:
    """No retention, compaction or checkpoint; all of them run when it continues."""
    clock = trio.lowlevel.current_clock()
    assert isinstance(clock, MockClock)
    async with running_node(tmp_path, log_cleaner_backoff_ms="1") as node:
        configs = {"cleanup_policy": "compact,delete", "retention_ms": "1"}
        log = await _three_segments(node, **configs)
        clock.autojump_threshold = inf
        before = log.log_start_offset, log.segments.size_bytes, files(tmp_path / "node-1", "*")
        for _ in range(20):
            await node.client().send(ApiVersionsRequest(), 0)
        frozen = log.log_start_offset, log.segments.size_bytes, files(tmp_path / "node-1", "*")

        clock.jump(31)
        clock.autojump_threshold = 0
        await trio.sleep(1)

        assert frozen == before
        assert log.log_start_offset == 3


async def test_a_changed_expiration_of_producers_applies_to_open_logs(tmp_path: Path) -> None:
    """The key ``producer.id.expiration.ms`` can be changed while the node runs."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        sent = batch(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
        await node.client().send(produce_request("t", sent), PRODUCE_VERSION)
        log = node.node.replicas.partitions[TopicPartition("t", 0)].log
        check_s = node.node.config.producer_id_expiration_check_interval_ms / 1000

        await trio.sleep(check_s + 1)
        assert list(log.producer_state_manager.producers) == [7]
        node.node.config.producer_id_expiration_ms = 1000
        await trio.sleep(check_s)

        assert not log.producer_state_manager.producers
