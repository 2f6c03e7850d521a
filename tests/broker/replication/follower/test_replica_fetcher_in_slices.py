"""A follower appends long responses in slices."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.replication.follower.replica_fetcher import ReplicaFetcher
from protocol.record_batch.pieces import BATCHES_MAX
from tests.broker.replication.follower.scripted_leader import LEADER, PartitionData, following
from tests.broker.replication.world import KEY, make_partition, records

pytestmark = pytest.mark.anyio

COUNT = 4 * BATCHES_MAX


def many_batches() -> PartitionData:
    """Batches of one record each."""
    batches = (
        bytes(records(b"a", base_offset=each, partition_leader_epoch=5)) for each in range(COUNT)
    )
    return PartitionData(partition_index=0, high_watermark=COUNT, records=b"".join(batches))


async def test_many_batches_are_appended_in_slices(tmp_path: Path) -> None:
    """Other tasks run in between; the high watermark follows the log end."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = ReplicaFetcher(node, LEADER, node.others.connections(leader.connect))
        fetcher.add_partition(partition)
        nursery.start_soon(fetcher.run)
        await leader.fetch()
        leader.respond_to_fetch(partition.topic_id, many_batches())
        ends = set()
        while partition.log.log_end_offset < COUNT:
            ends.add(partition.log.log_end_offset)
            await trio.lowlevel.checkpoint()
        second = await leader.fetch()

        assert {end % BATCHES_MAX for end in ends} == {0}
        assert any(0 < end < COUNT for end in ends)
        assert second.topics[0].partitions[0].fetch_offset == COUNT
        assert node.moved == [(KEY, each * BATCHES_MAX) for each in (1, 2, 3, 4)]


async def test_a_partition_removed_between_slices_is_not_appended_to(tmp_path: Path) -> None:
    """The node may lead it by then."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = ReplicaFetcher(node, LEADER, node.others.connections(leader.connect))
        fetcher.add_partition(partition)
        nursery.start_soon(fetcher.run)
        await leader.fetch()
        leader.respond_to_fetch(partition.topic_id, many_batches())
        while not partition.log.log_end_offset:
            await trio.lowlevel.checkpoint()
        fetcher.remove_partition(KEY)
        end = partition.log.log_end_offset
        await trio.testing.wait_all_tasks_blocked()

        assert partition.log.log_end_offset == end < COUNT
