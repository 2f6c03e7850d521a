"""A follower and what its leader answers (mirrors AbstractFetcherThreadTest)."""

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
    """A follower's partition with a record in each of these epochs, all of them replicated."""
    partition = make_partition(folder, leader=LEADER)
    for offset, epoch in enumerate(epochs):
        batch = records(b"a", base_offset=offset, partition_leader_epoch=epoch)
        partition.append_as_follower(batch, 99, offset + 1, 0)
    return partition


def _run(
    node: FollowingNode, leader: ScriptedLeader, nursery: trio.Nursery, *partitions: Partition
) -> ReplicaFetcher:
    fetcher = ReplicaFetcher(node, LEADER, leader.connect)
    for partition in partitions:
        fetcher.add_partition(partition)
    nursery.start_soon(fetcher.run)
    return fetcher


async def _offset_is(leader: ScriptedLeader, timestamp: int, offset: int) -> None:
    """The follower asks for an offset, and is told."""
    request = await leader.request()
    assert isinstance(request, ListOffsetsRequest)
    [topic] = request.topics
    [asked] = topic.partitions
    assert (request.replica_id, asked.timestamp, asked.current_leader_epoch) == (1, timestamp, 5)
    answer = ListOffsetsPartitionResponse(partition_index=0, timestamp=-1, offset=offset)
    leader.answer(
        ListOffsetsResponse(topics=[ListOffsetsTopicResponse(name="t", partitions=[answer])])
    )


async def test_what_the_leader_sends_is_appended(tmp_path: Path) -> None:
    """Kafka's testSimpleFetch: and the next fetch goes on behind it."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)

        assert (await leader.fetch()).topics[0].partitions[0].fetch_offset == 0
        leader.answer_fetch(partition.topic_id, _data(0, b"a", b"b", high_watermark=1))
        second = await leader.fetch()

        assert second.topics[0].partitions[0].fetch_offset == 2
        assert (partition.log.log_end_offset, partition.log.high_watermark) == (2, 1)
        assert node.moved == [(KEY, 1)]


async def test_a_partition_refused_is_asked_for_later(tmp_path: Path) -> None:
    """Kafka's testUnknownLeaderEpochWhileFetching: it backs off, the others go on."""
    one, other = (make_partition(tmp_path, key, leader=LEADER) for key in (KEY, OTHER))
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, one, other)
        await leader.fetch()
        begin_s = trio.current_time()
        leader.answer_fetch(one.topic_id, _error(ErrorCode.UNKNOWN_LEADER_EPOCH))

        without = await leader.fetch()
        assert [f.topic_id for f in without.forgotten_topics_data] == [one.topic_id]
        leader.answer_fetch(other.topic_id, _data(0, b"a", partition=1))
        await leader.fetch()
        await trio.sleep(BACKOFF_S + 0.001)
        leader.answer_fetch(None)
        again = await leader.fetch()

        assert [t.topic_id for t in again.topics] == [one.topic_id]
        assert trio.current_time() - begin_s >= BACKOFF_S


async def test_alone_in_back_off_nothing_is_asked(tmp_path: Path) -> None:
    """Until its time is over, by the node's timer."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        begin_s = trio.current_time()
        leader.answer_fetch(partition.topic_id, _error(ErrorCode.NOT_LEADER_OR_FOLLOWER))

        await leader.fetch()

        assert trio.current_time() - begin_s == pytest.approx(BACKOFF_S, abs=0.0021)


async def test_a_fenced_partition_waits_for_metadata(tmp_path: Path) -> None:
    """Kafka's testFencedFetch: there is a newer epoch, and the controller will tell which."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.answer_fetch(partition.topic_id, _error(ErrorCode.FENCED_LEADER_EPOCH))
        await trio.sleep(10 * BACKOFF_S)
        assert not leader.is_asked

        make_follower(partition)
        fetcher.add_partition(partition)

        asked = (await leader.fetch()).topics[0].partitions[0]
        assert asked.current_leader_epoch == 6


async def test_a_partition_removed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """Kafka's testTruncationOnFetchSkippedIfPartitionRemoved: the answer comes too late."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()

        fetcher.remove_partition(KEY)
        leader.answer_fetch(partition.topic_id, _data(0, b"a"))
        await trio.testing.wait_all_tasks_blocked()

        assert partition.log.log_end_offset == 0


async def test_a_new_partition_does_not_wait_for_the_poll_under_way(tmp_path: Path) -> None:
    """Ours, not Kafka's: there, it waits up to replica.fetch.wait.max.ms for the answer."""
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


async def test_records_that_are_damaged_are_fetched_again(tmp_path: Path) -> None:
    """Kafka's testCorruptMessage."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        damaged = _data(0, b"a")
        assert isinstance(damaged.records, memoryview)
        damaged.records[-1] ^= 1
        leader.answer_fetch(partition.topic_id, damaged)

        again = await leader.fetch()
        assert (again.topics, again.forgotten_topics_data) == ([], [])  # as it was told before
        leader.answer_fetch(partition.topic_id, _data(0, b"a"))
        await leader.fetch()

        assert partition.log.log_end_offset == 1


async def test_a_lost_connection_is_made_again_after_a_while(tmp_path: Path) -> None:
    """Kafka's shouldPollIndefinitelyIfLeaderReturnsAnyException; the leader may be down long."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.is_up = False
        leader.hang_up()
        await trio.sleep(5.5 * BACKOFF_S)
        assert leader.connections == 1

        leader.is_up = True
        await trio.sleep(BACKOFF_S)

        assert leader.connections == 2
        assert (await leader.fetch()).session_epoch == 0


async def test_a_leader_that_is_not_there_is_not_called(tmp_path: Path) -> None:
    """Fenced, or not known yet: by the node's own image."""
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


async def test_what_diverges_is_cut_off(tmp_path: Path) -> None:
    """Kafka's testTruncation, by KIP-595: cut, then fetch from there in the epoch left."""
    partition = _with_records(tmp_path, 1, 1, 2, 2)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        asked = (await leader.fetch()).topics[0].partitions[0]
        assert (asked.fetch_offset, asked.last_fetched_epoch) == (4, 2)
        parted = _data(0)
        parted.diverging_epoch = EpochEndOffset(epoch=1, end_offset=1)
        leader.answer_fetch(partition.topic_id, parted)

        asked = (await leader.fetch()).topics[0].partitions[0]

        assert (asked.fetch_offset, asked.last_fetched_epoch) == (1, 1)
        assert partition.log.log_end_offset == 1


async def test_cutting_does_not_raise_the_high_watermark(tmp_path: Path) -> None:
    """Kafka's testTruncateOnFetchDoesNotUpdateHighWatermark."""
    partition = make_partition(tmp_path, leader=LEADER)
    partition.append_as_follower(records(b"a", b"b", b"c", partition_leader_epoch=1), 99, 1, 0)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        parted = _data(0, high_watermark=9)
        parted.diverging_epoch = EpochEndOffset(epoch=1, end_offset=2)
        leader.answer_fetch(partition.topic_id, parted)
        await leader.fetch()

        assert partition.log.high_watermark <= 1


async def test_a_leader_that_ends_before_us_has_the_last_word(tmp_path: Path) -> None:
    """Kafka's testFollowerFetchOutOfRangeHigh: it was elected though it did not have all."""
    partition = _with_records(tmp_path, 1, 1, 1)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.answer_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await _offset_is(leader, -1, 2)

        asked = (await leader.fetch()).topics[0].partitions[0]

        assert asked.fetch_offset == partition.log.log_end_offset == 2


async def test_a_partition_removed_while_offsets_are_asked_for_is_left_alone(
    tmp_path: Path,
) -> None:
    """The node may lead it by then; its old leader's log end must not cut its log."""
    partition = _with_records(tmp_path, 1, 1, 1)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.answer_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await trio.testing.wait_all_tasks_blocked()
        fetcher.remove_partition(KEY)
        await _offset_is(leader, -1, 2)
        await trio.testing.wait_all_tasks_blocked()

        assert partition.log.log_end_offset == 3


async def test_a_leader_that_begins_behind_us_makes_us_start_over(tmp_path: Path) -> None:
    """Kafka's testFollowerFetchOutOfRangeLow: what we would fetch next is deleted there."""
    partition = _with_records(tmp_path, 1, 1)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.answer_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await _offset_is(leader, -1, 20)
        await _offset_is(leader, -2, 10)

        asked = (await leader.fetch()).topics[0].partitions[0]

        assert (asked.fetch_offset, asked.log_start_offset) == (10, 10)
        assert (partition.log.log_start_offset, partition.log.high_watermark) == (10, 10)


async def test_a_range_that_we_are_in_leaves_the_log_as_it_is(tmp_path: Path) -> None:
    """The leader has moved on between its two answers; its log start may be above our watermark."""
    partition = make_partition(tmp_path, leader=LEADER)
    three = records(b"a", b"b", b"c", partition_leader_epoch=1)
    partition.append_as_follower(three, 99, 1, 0)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        leader.answer_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await _offset_is(leader, -1, 20)
        await _offset_is(leader, -2, 2)

        asked = (await leader.fetch()).topics[0].partitions[0]

        assert (asked.fetch_offset, asked.log_start_offset) == (3, 1)


async def test_a_range_that_is_not_told_is_asked_for_later(tmp_path: Path) -> None:
    """Kafka's testRetryAfterUnknownLeaderEpochInLatestOffsetFetch."""
    partition = _with_records(tmp_path, 1)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        begin_s = trio.current_time()
        leader.answer_fetch(partition.topic_id, _error(ErrorCode.OFFSET_OUT_OF_RANGE))
        await leader.request()
        refusal = ListOffsetsPartitionResponse(
            partition_index=0, error_code=ErrorCode.UNKNOWN_LEADER_EPOCH
        )
        leader.answer(
            ListOffsetsResponse(topics=[ListOffsetsTopicResponse(name="t", partitions=[refusal])])
        )

        await leader.fetch()

        assert trio.current_time() - begin_s >= BACKOFF_S
        assert partition.log.log_end_offset == 1


# --------------------------------------------------------------------------------------- pause


async def test_a_paused_follower_takes_nothing_in(tmp_path: Path) -> None:
    """The answer under way waits in the connection until the node goes on."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        _run(node, leader, nursery, partition)
        await leader.fetch()
        node.going = trio.Event()
        leader.answer_fetch(partition.topic_id, _data(0, b"a"))
        await trio.sleep(60)
        assert partition.log.log_end_offset == 0

        node.going.set()
        await leader.fetch()

        assert partition.log.log_end_offset == 1


async def test_without_partitions_the_connection_is_given_up(tmp_path: Path) -> None:
    """When the last one has another leader there is nothing to ask."""
    partition = make_partition(tmp_path, leader=LEADER)
    async with following() as (node, leader, nursery):
        fetcher = _run(node, leader, nursery, partition)
        await leader.fetch()

        fetcher.remove_partition(KEY)
        leader.answer_fetch(UUID(int=0))
        await trio.testing.wait_all_tasks_blocked()

        assert fetcher._connection is None
