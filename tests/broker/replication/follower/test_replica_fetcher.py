"""A follower and the responses of its leader (mirrors AbstractFetcherThreadTest)."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
import trio
import trio.testing

from broker.replication.follower.replica_fetcher import ReplicaFetcher
from broker.replication.partition import Partition
from protocol.errors import ErrorCode
from protocol.messages.fetch import EpochEndOffset
from protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from tests.broker.replication.follower.scripted_leader import (
    LEADER,
    FollowingNode,
    PartitionData,
    ScriptedLeader,
    following,
)
from tests.broker.replication.world import (
    KEY,
    OTHER,
    make_follower,
    make_partition,
    records,
)

pytestmark = pytest.mark.anyio

BACKOFF_S = 1.0


def _data(
    offset: int,
    *values: bytes,
    partition: int = 0,
    high_watermark: int = 0,
    log_start_offset: int = 0,
    epoch: int = 5,
) -> PartitionData:
    batch = records(*values, base_offset=offset, partition_leader_epoch=epoch) if values else b""
    return PartitionData(
        partition_index=partition,
        high_watermark=high_watermark,
        log_start_offset=log_start_offset,
        records=batch,
    )


def _error(code: ErrorCode, partition: int = 0) -> PartitionData:
    return PartitionData(partition_index=partition, error_code=code, high_watermark=-1, records=b"")


def _with_records(folder: Path, *epochs: int) -> Partition:
    """A follower's partition with a record in each of these epochs, all replicated."""
    partition = make_partition(folder, leader=LEADER)
    for offset, epoch in enumerate(epochs):
        batch = records(b"a", base_offset=offset, partition_leader_epoch=epoch)
        partition.append_as_follower(batch, 99, offset + 1, 0)
    return partition


def _run(
    node: FollowingNode, leader: ScriptedLeader, nursery: trio.Nursery, *partitions: Partition
) -> ReplicaFetcher:
    fetcher = ReplicaFetcher(node, LEADER, node.others.connections(leader.connect))
    for partition in partitions:
        fetcher.add_partition(partition)
    nursery.start_soon(fetcher.run)
    return fetcher


async def _offset_is(leader: ScriptedLeader, timestamp: int, offset: int) -> None:
    """The follower requests an offset, and gets this one."""
    request = await leader.request()
    assert isinstance(request, ListOffsetsRequest)
    [topic] = request.topics
    [requested] = topic.partitions
    assert (request.replica_id, requested.timestamp) == (1, timestamp)
    assert requested.current_leader_epoch == 5
    data = ListOffsetsPartitionResponse(partition_index=0, timestamp=-1, offset=offset)
    leader.respond(
        ListOffsetsResponse(topics=[ListOffsetsTopicResponse(name="t", partitions=[data])])
    )


async def test_records_of_the_leader_are_appended(tmp_path: Path) -> None:
    """Kafka's testSimpleFetch; the next fetch continues after them."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)

        assert (await leader.fetch()).topics[0].partitions[0].fetch_offset == 0
        leader.respond_to_fetch(partition.topic_id, _data(0, b"a", b"b", high_watermark=1))
        second = await leader.fetch()

        assert second.topics[0].partitions[0].fetch_offset == 2
        assert (partition.log.log_end_offset, partition.log.high_watermark) == (2, 1)
        assert node.moved == [(KEY, 1)]


async def test_a_refused_partition_is_fetched_later(tmp_path: Path) -> None:
    """Kafka's testUnknownLeaderEpochWhileFetching: it is delayed, the others are fetched."""
    one, other = (make_partition(tmp_path, key, leader=LEADER) for key in (KEY, OTHER))
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, one, other)
        await leader.fetch()
        begin_s = trio.current_time()
        leader.respond_to_fetch(one.topic_id, _error(ErrorCode.UNKNOWN_LEADER_EPOCH))

        without = await leader.fetch()
        assert [f.topic_id for f in without.forgotten_topics_data] == [one.topic_id]
        leader.respond_to_fetch(other.topic_id, _data(0, b"a", partition=1))
        await leader.fetch()
        await trio.sleep(BACKOFF_S + 0.001)
        leader.respond_to_fetch(None)
        again = await leader.fetch()

        assert [t.topic_id for t in again.topics] == [one.topic_id]
        assert trio.current_time() - begin_s >= BACKOFF_S


async def test_with_all_partitions_delayed_nothing_is_fetched(tmp_path: Path) -> None:
    """Until the back-off ends, by the node's timer."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        begin_s = trio.current_time()
        leader.respond_to_fetch(partition.topic_id, _error(ErrorCode.NOT_LEADER_OR_FOLLOWER))

        await leader.fetch()

        assert trio.current_time() - begin_s == pytest.approx(BACKOFF_S, abs=0.0021)


async def test_a_fenced_partition_waits_for_metadata(tmp_path: Path) -> None:
    """Kafka's testFencedFetch: a newer epoch exists, and its metadata follows."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.respond_to_fetch(partition.topic_id, _error(ErrorCode.FENCED_LEADER_EPOCH))
        await trio.sleep(10 * BACKOFF_S)
        assert not leader.has_request

        make_follower(partition)
        fetcher.add_partition(partition)

        requested = (await leader.fetch()).topics[0].partitions[0]
        assert requested.current_leader_epoch == 6


async def test_a_response_for_a_removed_partition_is_ignored(tmp_path: Path) -> None:
    """Kafka's testTruncationOnFetchSkippedIfPartitionRemoved."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()

        fetcher.remove_partition(KEY)
        leader.respond_to_fetch(partition.topic_id, _data(0, b"a"))
        await trio.testing.wait_all_tasks_blocked()

        assert partition.log.log_end_offset == 0


async def test_a_new_partition_interrupts_the_long_poll(tmp_path: Path) -> None:
    """Not as Kafka, where it waits up to replica.fetch.wait.max.ms for the response."""
    one, other = (make_partition(tmp_path, key, leader=LEADER) for key in (KEY, OTHER))
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, one)
        await leader.fetch()
        begin_s = trio.current_time()

        fetcher.add_partition(other)
        await trio.testing.wait_all_tasks_blocked()
        request = await leader.fetch()

        assert {t.topic_id for t in request.topics} == {one.topic_id, other.topic_id}
        assert trio.current_time() == begin_s
        assert leader.connections == 2


async def test_corrupt_records_are_fetched_again(tmp_path: Path) -> None:
    """Kafka's testCorruptMessage."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        damaged = _data(0, b"a")
        assert isinstance(damaged.records, memoryview)
        damaged.records[-1] ^= 1
        leader.respond_to_fetch(partition.topic_id, damaged)

        again = await leader.fetch()
        assert (again.topics, again.forgotten_topics_data) == ([], [])  # the session already has it
        leader.respond_to_fetch(partition.topic_id, _data(0, b"a"))
        await leader.fetch()

        assert partition.log.log_end_offset == 1


async def test_a_lost_connection_is_restored_after_the_back_off(tmp_path: Path) -> None:
    """Kafka's shouldPollIndefinitelyIfLeaderReturnsAnyException."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.is_up = False
        leader.disconnect()
        await trio.sleep(5.5 * BACKOFF_S)
        assert leader.connections == 1

        leader.is_up = True
        await trio.sleep(BACKOFF_S)

        assert leader.connections == 2
        assert (await leader.fetch()).session_epoch == 0


async def test_an_unavailable_leader_is_not_connected_to(tmp_path: Path) -> None:
    """Fenced or unknown, by the node's own image."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        away = node.brokers.pop(LEADER)
        _run(node, leader, nursery, partition)
        await trio.sleep(BACKOFF_S / 2)
        assert leader.connections == 0

        node.brokers[LEADER] = away
        await trio.sleep(BACKOFF_S)

        assert leader.connections == 1


# ---------------------------------------------------------------------------------- truncation


async def test_a_diverging_log_is_truncated(tmp_path: Path) -> None:
    """Kafka's testTruncation, by KIP-595; then it is fetched from there in the remaining epoch."""
    partition = _with_records(tmp_path, 1, 1, 2, 2)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        requested = (await leader.fetch()).topics[0].partitions[0]
        assert (requested.fetch_offset, requested.last_fetched_epoch) == (4, 2)
        parted = _data(0)
        parted.diverging_epoch = EpochEndOffset(epoch=1, end_offset=1)
        leader.respond_to_fetch(partition.topic_id, parted)

        requested = (await leader.fetch()).topics[0].partitions[0]

        assert (requested.fetch_offset, requested.last_fetched_epoch) == (1, 1)
        assert partition.log.log_end_offset == 1


async def test_truncation_does_not_raise_the_high_watermark(tmp_path: Path) -> None:
    """Kafka's testTruncateOnFetchDoesNotUpdateHighWatermark."""
    partition = make_partition(tmp_path, leader=LEADER)
    partition.append_as_follower(records(b"a", b"b", b"c", partition_leader_epoch=1), 99, 1, 0)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        parted = _data(0, high_watermark=9)
        parted.diverging_epoch = EpochEndOffset(epoch=1, end_offset=2)
        leader.respond_to_fetch(partition.topic_id, parted)
        await leader.fetch()

        assert partition.log.high_watermark <= 1


async def test_a_shorter_leader_truncates_the_follower(tmp_path: Path) -> None:
    """Kafka's testFollowerFetchOutOfRangeHigh: an unclean leader."""
    partition = _with_records(tmp_path, 1, 1, 1)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.respond_to_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await _offset_is(leader, -1, 2)

        requested = (await leader.fetch()).topics[0].partitions[0]

        assert requested.fetch_offset == partition.log.log_end_offset == 2


async def test_offsets_for_a_removed_partition_are_ignored(
    tmp_path: Path,
) -> None:
    """The node may lead it then; the log end of the old leader does not apply."""
    partition = _with_records(tmp_path, 1, 1, 1)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.respond_to_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await trio.testing.wait_all_tasks_blocked()
        fetcher.remove_partition(KEY)
        await _offset_is(leader, -1, 2)
        await trio.testing.wait_all_tasks_blocked()

        assert partition.log.log_end_offset == 3


async def test_a_leader_that_starts_later_restarts_the_follower(tmp_path: Path) -> None:
    """Kafka's testFollowerFetchOutOfRangeLow: the next records are deleted on the leader."""
    partition = _with_records(tmp_path, 1, 1)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.respond_to_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await _offset_is(leader, -1, 20)
        await _offset_is(leader, -2, 10)

        requested = (await leader.fetch()).topics[0].partitions[0]

        assert (requested.fetch_offset, requested.log_start_offset) == (10, 10)
        assert (partition.log.log_start_offset, partition.log.high_watermark) == (10, 10)


async def test_an_offset_in_range_leaves_the_log_unchanged(tmp_path: Path) -> None:
    """The leader's log grew meanwhile; its start may be above this high watermark."""
    partition = make_partition(tmp_path, leader=LEADER)
    three = records(b"a", b"b", b"c", partition_leader_epoch=1)
    partition.append_as_follower(three, 99, 1, 0)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.respond_to_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await _offset_is(leader, -1, 20)
        await _offset_is(leader, -2, 2)

        requested = (await leader.fetch()).topics[0].partitions[0]

        assert (requested.fetch_offset, requested.log_start_offset) == (3, 1)


async def test_a_refused_offset_request_is_sent_again_later(tmp_path: Path) -> None:
    """Kafka's testRetryAfterUnknownLeaderEpochInLatestOffsetFetch."""
    partition = _with_records(tmp_path, 1)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        begin_s = trio.current_time()
        leader.respond_to_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await leader.request()
        refusal = ListOffsetsPartitionResponse(
            partition_index=0, error_code=ErrorCode.UNKNOWN_LEADER_EPOCH
        )
        leader.respond(
            ListOffsetsResponse(topics=[ListOffsetsTopicResponse(name="t", partitions=[refusal])])
        )

        await leader.fetch()

        assert trio.current_time() - begin_s >= BACKOFF_S
        assert partition.log.log_end_offset == 1


# --------------------------------------------------------------------------------------- pause


async def test_a_paused_follower_appends_nothing(tmp_path: Path) -> None:
    """The response waits in the connection until the node resumes."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()
        node.going = trio.Event()
        leader.respond_to_fetch(partition.topic_id, _data(0, b"a"))
        await trio.sleep(60)
        assert partition.log.log_end_offset == 0

        node.going.set()
        fetcher.resumed()
        await leader.fetch()

        assert partition.log.log_end_offset == 1


async def test_without_partitions_the_connection_is_closed(tmp_path: Path) -> None:
    """When the last partition has another leader."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()

        fetcher.remove_partition(KEY)
        leader.respond_to_fetch(UUID(int=0))
        await trio.testing.wait_all_tasks_blocked()

        assert leader.transport is not None
        assert leader.transport.other.closed
