"""Transactions in `broker.replication.replica_manager`: markers, guards and `read_committed`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchIsolation
from broker.replication.replica_manager import FetchResults
from protocol.errors import ErrorCode
from protocol.record_batch.batch import batches
from tests.broker.replication.desk import Desk
from tests.broker.replication.world import (
    KEY,
    OTHER,
    at,
    consumer,
    fetched,
    follower,
    leader_state_of,
    records,
)

NOWHERE = TopicPartition("gone", 0)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Two empty partitions, led here, with two followers in sync."""
    return Desk(tmp_path)


def test_guards_are_of_their_partitions(desk: Desk) -> None:
    """The append of a transaction's first batch has the guard of its verification."""
    [response] = desk.produce_in_transaction()
    assert response[KEY].error is ErrorCode.NONE
    assert desk.partition().log.producer_state_manager.transactions.ongoing == {0: 7}


def test_markers_wait_for_every_member(desk: Desk) -> None:
    """As a produce with acks=all; the response has all partitions."""
    responses = desk.mark(KEY, OTHER)

    for node in (2, 3):
        fetched(desk.partition(KEY), node, 1)
    assert responses == []
    for node in (2, 3):
        fetched(desk.partition(OTHER), node, 1)

    assert responses == [{KEY: ErrorCode.NONE, OTHER: ErrorCode.NONE}]


def test_markers_that_time_out_stay_in_the_log(desk: Desk) -> None:
    """REQUEST_TIMED_OUT; the coordinator sends them again, and they are appended again."""
    responses = desk.mark()

    desk.advance(1000)

    assert responses == [{KEY: ErrorCode.REQUEST_TIMED_OUT}]
    assert desk.partition().log.log_end_offset == 1


def test_a_refused_marker_has_the_error_of_its_partition(desk: Desk) -> None:
    """The others are appended; the transaction version determines what is refused."""
    desk.produce_in_transaction()
    desk.mark(KEY, epoch=1, version=2)

    responses = desk.mark(KEY, OTHER, NOWHERE, version=2)
    for node in (2, 3):
        fetched(desk.partition(OTHER), node, 1)

    assert responses == [
        {
            KEY: ErrorCode.INVALID_PRODUCER_EPOCH,
            OTHER: ErrorCode.NONE,
            NOWHERE: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        }
    ]


def test_markers_need_enough_replicas(desk: Desk) -> None:
    """NOT_ENOUGH_REPLICAS immediately; nothing is written."""
    leader_state = leader_state_of(desk.partition())
    desk.partition().set_min_insync_replicas(4)
    leader_state.isr = leader_state.isr.of((1, 2))

    assert desk.mark() == [{KEY: ErrorCode.NOT_ENOUGH_REPLICAS}]
    assert desk.partition().log.log_end_offset == 0


# ------------------------------------------------------------------------------ read_committed

COMMITTED = consumer(isolation=FetchIsolation.TXN_COMMITTED)


def replicate(desk: Desk, offset: int, key: TopicPartition = KEY) -> None:
    """Both followers have all records below *offset*."""
    for node in (2, 3):
        fetched(desk.partition(key), node, offset)


def read(responses: list[FetchResults]) -> tuple[int, list[tuple[int, int]] | None]:
    """Of the only partition of the response, the number of batches and the aborted transactions."""
    [[result]] = responses
    assert result.error is ErrorCode.NONE
    aborted = result.aborted
    found = None if aborted is None else [(each.producer_id, each.first_offset) for each in aborted]
    assert isinstance(result.records, bytes)
    return len(list(batches(result.records))), found


def test_a_committed_fetch_ends_at_the_last_stable_offset(desk: Desk) -> None:
    """Records of open transactions, and those after them, are not read."""
    desk.produce(acks=1)
    desk.produce_in_transaction()
    desk.produce(acks=1)
    replicate(desk, 3)

    assert read(desk.fetch(COMMITTED, at(0))) == (1, [])
    assert read(desk.fetch(consumer(), at(0))) == (3, None)


def test_a_committed_fetch_at_the_last_stable_offset_waits(desk: Desk) -> None:
    """Appends after it, and their replication, do not complete the fetch."""
    desk.produce_in_transaction()
    replicate(desk, 1)
    responses = desk.fetch(COMMITTED, at(0))
    desk.produce(acks=1)
    replicate(desk, 2)

    assert responses == []


def test_a_committed_fetch_beyond_the_last_stable_offset_is_empty(desk: Desk) -> None:
    """At once and without an error, as in Kafka."""
    desk.produce_in_transaction()
    desk.produce(acks=1)
    replicate(desk, 2)

    assert read(desk.fetch(COMMITTED, at(1))) == (0, [])


@pytest.mark.parametrize("abort", [False, True])
def test_a_replicated_marker_completes_a_committed_fetch(desk: Desk, abort: bool) -> None:
    """With the records and the marker, and with the transaction if it was aborted."""
    desk.produce_in_transaction()
    replicate(desk, 1)
    responses = desk.fetch(COMMITTED, at(0))

    desk.mark(abort=abort)
    assert responses == []
    replicate(desk, 2)

    assert read(responses) == (2, [(7, 0)] if abort else [])


def test_a_marker_completes_a_committed_fetch_on_a_single_replica(desk: Desk) -> None:
    """The append moves the high watermark and with it the last stable offset."""
    leader_state = leader_state_of(desk.partition())
    leader_state.replicas.clear()
    desk.produce_in_transaction()
    responses = desk.fetch(COMMITTED, at(0))

    desk.mark()

    assert read(responses) == (2, [])


def test_a_marker_of_another_transaction_does_not_complete_the_fetch(desk: Desk) -> None:
    """An older transaction is still open."""
    desk.produce_in_transaction()
    replicate(desk, 1)
    responses = desk.fetch(COMMITTED, at(0))

    other = records(b"a", producer_id=8, producer_epoch=0, base_sequence=0)
    desk.partition().append_as_leader(other, 1, 9)
    desk.mark(producer_id=8)
    replicate(desk, 3)

    assert responses == []


def test_a_committed_fetch_that_times_out_is_empty(desk: Desk) -> None:
    """With an empty list."""
    desk.produce_in_transaction()
    replicate(desk, 1)
    responses = desk.fetch(COMMITTED, at(0), max_wait_ms=500)

    desk.advance(500)

    assert read(responses) == (0, [])


def test_an_incomplete_batch_has_no_list(desk: Desk) -> None:
    """Nothing fits into the limit of the partition after the first one."""
    for key in (KEY, OTHER):
        desk.produce(key, acks=1)
        replicate(desk, 1, key)
    params = consumer(isolation=FetchIsolation.TXN_COMMITTED, max_bytes=len(records(b"a")) + 1)

    [[first, second]] = desk.fetch(params, at(0, OTHER), at(0))

    assert (first.aborted, second.aborted) == ([], None)


def test_a_follower_reads_undecided_records(desk: Desk) -> None:
    """It has the leader's log, without a list."""
    desk.produce_in_transaction()

    assert read(desk.fetch(follower(2), at(0))) == (1, None)
