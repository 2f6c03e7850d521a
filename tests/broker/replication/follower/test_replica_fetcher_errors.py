"""A fetcher continues after the back-off when an exception is raised, or when a disk fails."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.replication.follower.replica_fetcher import ReplicaFetcher
from broker.replication.partition import Partition
from protocol.errors import ErrorCode
from protocol.messages.fetch import EpochEndOffset, PartitionData
from protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from tests.broker.replication.follower.scripted_leader import LEADER, following
from tests.broker.replication.world import KEY, OTHER, make_partition, records
from tests.purgatories.builds import only_pure

pytestmark = [pytest.mark.anyio, only_pure("methods of compiled classes cannot be replaced")]

BACKOFF_S = 1.0


def _data(partition: int = 0) -> PartitionData:
    return PartitionData(
        partition_index=partition,
        high_watermark=0,
        log_start_offset=0,
        records=records(b"a", base_offset=0, partition_leader_epoch=5),
    )


def _fail(*_arguments: object) -> None:
    raise ZeroDivisionError


async def test_a_partition_that_raises_is_fetched_again_after_the_back_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other partitions of the response are appended and fetched immediately."""
    one, other = (make_partition(tmp_path, key, leader=LEADER) for key in (KEY, OTHER))
    reported: list[str] = []
    async with following() as (node, leader, nursery):
        node.timer.on_error = lambda what, _error: reported.append(what)
        fetcher = ReplicaFetcher(node, LEADER, node.others.connections(leader.connect))
        for partition in (one, other):
            fetcher.add_partition(partition)
        nursery.start_soon(fetcher.run)
        await leader.fetch()
        begin_s = trio.current_time()
        with monkeypatch.context() as patch:
            _break_append(patch, one)
            leader.respond_to_fetch(one.topic_id, _data())
            without = await leader.fetch()
        assert [each.topic_id for each in without.forgotten_topics_data] == [one.topic_id]
        assert reported == ["replication of t-0"]
        leader.respond_to_fetch(other.topic_id, _data(partition=1))
        await leader.fetch()
        assert other.log.log_end_offset == 1

        await trio.sleep(BACKOFF_S + 0.001)
        leader.respond_to_fetch(None)
        again = await leader.fetch()
        assert [each.topic_id for each in again.topics] == [one.topic_id]
        assert trio.current_time() - begin_s >= BACKOFF_S
        leader.respond_to_fetch(one.topic_id, _data())
        await leader.fetch()
        assert one.log.log_end_offset == 1


async def test_a_fetch_that_raises_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a new connection, after the back-off."""
    partition = make_partition(tmp_path, leader=LEADER)
    reported: list[str] = []
    async with following() as (node, leader, nursery):
        node.timer.on_error = lambda what, _error: reported.append(what)
        fetcher = ReplicaFetcher(node, LEADER, node.others.connections(leader.connect))
        fetcher.add_partition(partition)
        nursery.start_soon(fetcher.run)
        await leader.fetch()
        begin_s = trio.current_time()
        with monkeypatch.context() as patch:
            patch.setattr(fetcher, "_process_partitions", _fail)
            leader.respond_to_fetch(partition.topic_id, _data())
            await trio.sleep(0.5)
        assert reported == ["fetching from node 2"]

        await leader.fetch()

        assert leader.connections == 2
        assert trio.current_time() - begin_s >= BACKOFF_S


async def test_a_disk_that_fails_during_a_truncation_is_no_bug(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The partition is delayed, as after a refused append; the others are fetched."""
    one, other = (make_partition(tmp_path, key, leader=LEADER) for key in (KEY, OTHER))
    one.append_as_follower(records(b"a", partition_leader_epoch=4), 99, 0, 0)
    diverging = EpochEndOffset(epoch=4, end_offset=0)
    async with following() as (node, leader, nursery):
        fetcher = ReplicaFetcher(node, LEADER, node.others.connections(leader.connect))
        for partition in (one, other):
            fetcher.add_partition(partition)
        nursery.start_soon(fetcher.run)
        await leader.fetch()
        _fail_disk(one)
        leader.respond_to_fetch(
            one.topic_id,
            PartitionData(
                partition_index=0, high_watermark=0, diverging_epoch=diverging, records=b""
            ),
        )
        without = await leader.fetch()
        assert [each.topic_id for each in without.forgotten_topics_data] == [one.topic_id]
        assert "t-0 from node 2: t-0: its data directory is offline" in caplog.text


@pytest.mark.parametrize("offsets", [[0], [9, 5], [9, 1]])
async def test_a_disk_that_fails_while_a_log_continues_elsewhere_is_no_bug(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, offsets: Sequence[int]
) -> None:
    """It is to be truncated, to restart, or to delete records."""
    partition = make_partition(tmp_path, leader=LEADER)
    for offset in range(2):
        batch = records(b"a", base_offset=offset, partition_leader_epoch=4)
        partition.append_as_follower(batch, 99, 2, 0)
    async with following() as (node, leader, nursery):
        fetcher = ReplicaFetcher(node, LEADER, node.others.connections(leader.connect))
        fetcher.add_partition(partition)
        nursery.start_soon(fetcher.run)
        await leader.fetch()
        _fail_disk(partition)
        leader.respond_to_fetch(
            partition.topic_id,
            PartitionData(
                partition_index=0,
                error_code=ErrorCode.OFFSET_OUT_OF_RANGE,
                high_watermark=-1,
                records=b"",
            ),
        )
        for offset in offsets:
            await leader.request()
            data = ListOffsetsPartitionResponse(partition_index=0, timestamp=-1, offset=offset)
            leader.respond(
                ListOffsetsResponse(topics=[ListOffsetsTopicResponse(name="t", partitions=[data])])
            )
        await trio.testing.wait_all_tasks_blocked()
        assert leader.connections == 1
        assert "t-0 from node 2: t-0: its data directory is offline" in caplog.text


def _fail_disk(partition: Partition) -> None:
    disk = partition.log.local_log.disk
    disk.abandon(OSError(errno.EIO, "Input/output error"))


def _break_append(patch: pytest.MonkeyPatch, broken: Partition) -> None:
    append = Partition.append_as_follower

    def append_as_follower(partition: Partition, *arguments: object) -> bool:
        if partition is broken:
            raise ZeroDivisionError
        return append(partition, *arguments)  # type: ignore[arg-type]  # as they were given

    patch.setattr(Partition, "append_as_follower", append_as_follower)
