"""Transactions in `broker.replication.replica_manager`: markers, guards and `read_committed`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from tests.broker.replication.desk import Desk
from tests.broker.replication.world import KEY, OTHER, fetched, leader_state_of

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
