"""Markers in partitions of ``__consumer_offsets`` (mirrors ``GroupCoordinatorServiceTest``).

The effects of markers on offsets are in the scripts ``txn_*``.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from broker.common.topic_partition import TopicPartition
from broker.config import parse_config
from broker.coordinators.coordinator_log import TransactionalProducer, TransactionEnd
from broker.coordinators.coordinator_record import RawRecord
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker
from tests.broker.groups.virtual_world import VirtualWorld
from tests.finished_slices import finish_slices

T0 = TopicPartition("t", 0)
PRODUCER = TransactionalProducer(5, 2)
# Groups of partitions 0 and 1 of two.
B, A = "b", "a"


@pytest.fixture
def world() -> VirtualWorld:
    """A node that leads both partitions of the topic."""
    return VirtualWorld(parse_config({"offsets.topic.num.partitions": "2"}))


def commit(world: VirtualWorld, group_id: str) -> None:
    """Commit offset 7 of t-0 in a transaction."""
    request = OffsetCommit(group_id=group_id, producer=PRODUCER, commits=[Commit(T0, 7)])
    assert world.coordinator.offsets.commit(request) == [ErrorCode.NONE]


def complete(world: VirtualWorld, partition: int = 0, **fields: Any) -> list[ErrorCode]:
    """Commit the transaction in a partition; returns the errors, also those that come later."""
    responses: list[ErrorCode] = []
    values = {
        "producer_id": PRODUCER.producer_id,
        "producer_epoch": PRODUCER.producer_epoch,
        "coordinator_epoch": 9,
        "commit": True,
        "transaction_version": 2,
    }
    world.coordinator.complete_transaction(
        partition, **(values | fields), on_response=responses.append
    )
    world.end_request()
    return responses


def offset(world: VirtualWorld, group_id: str) -> int | None:
    """The committed offset of t-0."""
    committed = world.coordinator.offsets.fetch(group_id).get(T0)
    return None if committed is None else committed.offset


@pytest.mark.parametrize("is_commit", [True, False])
def test_the_marker_is_appended(world: VirtualWorld, is_commit: bool) -> None:
    """With the epochs and the version of the request, whether there are offsets or not."""
    assert complete(world, commit=is_commit) == [ErrorCode.NONE]

    marker = EndTxnMarker(not is_commit, coordinator_epoch=9)
    assert world.logs[0].markers == [(5, 2, marker, 2)]
    assert world.logs[0].records == [TransactionEnd(5, is_commit, 0)]
    assert world.logs[1].records == []


def test_the_records_of_a_commit_have_their_producer(world: VirtualWorld) -> None:
    """With the guard of the verification."""
    commit(world, B)

    assert world.logs[0].producers == [PRODUCER]
    assert [each.producer_id for each in world.logs[0].records] == [5]
    assert all(isinstance(each, RawRecord) for each in world.logs[0].records)


def test_only_groups_of_the_partition_are_committed(world: VirtualWorld) -> None:
    """The transaction ends in each partition by a marker of its own."""
    commit(world, A)
    commit(world, B)
    complete(world, partition=0)
    assert (offset(world, B), offset(world, A)) == (7, None)
    assert world.coordinator.offsets.unstable(A) == {T0}

    complete(world, partition=1)
    assert offset(world, A) == 7


def test_the_response_waits_for_replication(world: VirtualWorld) -> None:
    """Also if the partition has no group of the transaction."""
    world.slow_down()
    responses = complete(world)
    assert responses == []

    world.replicate()
    assert responses == [ErrorCode.NONE]


def test_a_marker_that_is_not_replicated_in_time_can_be_sent_again(world: VirtualWorld) -> None:
    """REQUEST_TIMED_OUT after ``offsets.commit.timeout.ms``; then the log has two markers."""
    commit(world, B)
    world.slow_down()
    responses = complete(world)
    world.wait(4999)
    assert responses == []
    world.wait(1)
    assert responses == [ErrorCode.REQUEST_TIMED_OUT]

    world.replicate()
    assert offset(world, B) == 7
    assert complete(world) == [ErrorCode.NONE]
    assert len(world.logs[0].markers) == 2


def test_an_unloaded_partition_refuses_markers(world: VirtualWorld) -> None:
    """The sender looks up the leader again; a waiting marker gets the same error."""
    world.slow_down()
    responses = complete(world)
    world.coordinator.runtime.on_resignation(0)

    assert responses == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert complete(world) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert complete(world, partition=5) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]


def test_a_loading_partition_refuses_markers(world: VirtualWorld) -> None:
    """With the same error, which is retried."""
    commit(world, B)
    commit(world, B)
    runtime = world.coordinator.runtime
    runtime.on_resignation(0)
    world.logs[0].read_max = 1
    world.steps.now_ms = count().__next__
    runtime.on_election(0, world.logs[0])
    assert runtime.is_loading(B)

    assert complete(world) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    finish_slices(world.steps)
    assert complete(world) == [ErrorCode.NONE]
    assert offset(world, B) == 7


@pytest.mark.parametrize(
    "error",
    [
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.TRANSACTION_COORDINATOR_FENCED,
    ],
)
def test_a_refused_marker_changes_nothing(world: VirtualWorld, error: ErrorCode) -> None:
    """The response is the error of the log: the sender knows which of them it retries."""
    commit(world, B)
    world.refuse(error)

    assert complete(world) == [error]
    assert (offset(world, B), world.coordinator.offsets.unstable(B)) == (None, {T0})
