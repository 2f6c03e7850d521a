"""Appends, reads and deletions that may wait (mirrors Kafka's ReplicaManagerTest)."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.replica_manager import DeleteResults, FetchResults, ProduceResults
from protocol.errors import ErrorCode
from tests.broker.replication.desk import Desk
from tests.broker.replication.world import (
    KEY,
    LAG_MAX_MS,
    OTHER,
    FakeNode,
    append,
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


def _errors(responses: list[ProduceResults] | list[DeleteResults]) -> list[ErrorCode | int]:
    [response] = responses
    return [result.error for result in response.values()]


def _read(responses: list[FetchResults]) -> list[tuple[ErrorCode, bool]]:
    """Of each partition of the single response, the error and whether it has records."""
    [response] = responses
    return [(result.error, bool(result.records)) for result in response]


# ------------------------------------------------------------------------------------- produce


def test_acks_all_waits_for_every_member(desk: Desk) -> None:
    """The fetch of the last member past the records completes it."""
    responses = desk.produce()

    fetched(desk.partition(), 2, 1)
    assert responses == []
    fetched(desk.partition(), 3, 1)

    assert _errors(responses) == [ErrorCode.NONE]
    assert responses[0][KEY].base_offset == 0


def test_acks_0_and_1_do_not_wait(desk: Desk) -> None:
    """The leader's append is enough."""
    assert _errors(desk.produce(acks=1)) == [ErrorCode.NONE]
    assert _errors(desk.produce(acks=0)) == [ErrorCode.NONE]


def test_a_produce_that_times_out_keeps_the_records(desk: Desk) -> None:
    """REQUEST_TIMED_OUT with their offset, exactly at the timeout."""
    desk.produce(acks=1)
    responses = desk.produce(timeout_ms=500)

    desk.advance(499)
    assert responses == []
    desk.advance(1)

    assert _errors(responses) == [ErrorCode.REQUEST_TIMED_OUT]
    assert responses[0][KEY].base_offset == 1
    assert desk.partition().log.log_end_offset == 2


def test_partitions_of_a_produce_complete_separately(desk: Desk) -> None:
    """The response waits for the last one."""
    responses = desk.produce(KEY, OTHER, NOWHERE, timeout_ms=500)
    desk.lose(KEY)
    assert responses == []

    desk.advance(500)

    assert _errors(responses) == [
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    assert [result.base_offset for result in responses[0].values()] == [0, 0, -1]


def test_lost_leadership_completes_waiting_produces(desk: Desk) -> None:
    """Kafka's testDeltaToFollowerCompletesProduce, testClearPurgatoryOnBecomingFollower."""
    responses = desk.produce()

    desk.lose(KEY)

    assert _errors(responses) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert responses[0][KEY].base_offset == 0


def test_a_deleted_partition_completes_waiting_operations(desk: Desk) -> None:
    """It is removed first, so that the check does not find it (Kafka's stopReplicas)."""
    produced = desk.produce()
    fetches = desk.fetch(consumer(), at(0))

    desk.drop(KEY)

    assert _errors(produced) == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    assert _read(fetches) == [(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False)]


def test_min_isr_is_checked_before_the_append(desk: Desk) -> None:
    """NOT_ENOUGH_REPLICAS immediately, with the log start offset; nothing is written."""
    partition = desk.partition()
    partition.set_min_insync_replicas(4)
    leader_state_of(partition).isr = leader_state_of(partition).isr.of((1, 2))

    responses = desk.produce()

    assert _errors(responses) == [ErrorCode.NOT_ENOUGH_REPLICAS]
    assert (responses[0][KEY].base_offset, responses[0][KEY].log_start_offset) == (-1, 0)
    assert responses[0][KEY].message is None
    assert partition.log.log_end_offset == 0


def test_only_invalid_records_have_an_error_message(desk: Desk) -> None:
    """Kafka sends a RecordValidationException's message, and only the code of other errors."""
    responses: list[ProduceResults] = []
    untimely, broken = records(b"a", timestamp=1 << 60), records(b"a")
    broken[-1] ^= 1

    for each in (untimely, broken):
        desk.manager.append_records(1000, 1, {KEY: each}, 9, responses.append)

    result, other = (response[KEY] for response in responses)
    assert result.error is ErrorCode.INVALID_TIMESTAMP
    assert result.message is not None
    assert [index for index, _ in result.record_errors] == [0]
    assert other.error is ErrorCode.CORRUPT_MESSAGE
    assert (other.message, list(other.record_errors)) == (None, [])


def test_a_failed_append_checks_no_operations(desk: Desk) -> None:
    """Nothing was appended."""
    responses: list[ProduceResults] = []
    broken = records(b"a")
    broken[-1] ^= 1

    desk.manager.append_records(1000, -1, {KEY: broken}, 9, responses.append)

    assert _errors(responses) == [ErrorCode.CORRUPT_MESSAGE]
    assert len(desk.manager.actions) == 0


def test_a_produce_to_a_single_member_completes_before_fetches_are_checked(desk: Desk) -> None:
    """The checks after an append are actions that run after the request."""
    leader_state_of(desk.partition()).isr = leader_state_of(desk.partition()).isr.of((1,))
    woken = desk.fetch(consumer(), at(0))
    responses: list[ProduceResults] = []

    desk.manager.append_records(1000, -1, {KEY: records(b"a")}, 9, responses.append)
    assert _errors(responses) == [ErrorCode.NONE]
    assert woken == []

    desk.manager.actions.try_complete_actions()
    assert _read(woken) == [(ErrorCode.NONE, True)]


def test_a_partition_that_need_not_wait_is_in_the_response_of_those_that_wait(desk: Desk) -> None:
    """One pending partition delays the whole response."""
    leader_state_of(desk.partition(OTHER)).isr = leader_state_of(desk.partition()).isr.of((1,))
    responses = desk.produce(KEY, OTHER)
    assert desk.partition(OTHER).log.high_watermark == 1
    assert responses == []

    fetched(desk.partition(), 2, 1)
    fetched(desk.partition(), 3, 1)

    assert _errors(responses) == [ErrorCode.NONE, ErrorCode.NONE]
    assert responses[0][OTHER].base_offset == 0


def test_a_duplicate_waits_for_the_original(desk: Desk) -> None:
    """A retry gets the offset of its records once they are replicated."""
    desk.produce_numbered()
    again = desk.produce_numbered()
    assert desk.partition().log.log_end_offset == 1
    assert again == []

    fetched(desk.partition(), 2, 1)
    fetched(desk.partition(), 3, 1)

    assert again[0][KEY].base_offset == 0


def test_a_duplicate_may_move_the_high_watermark(desk: Desk) -> None:
    """It appends nothing, but checks the high watermark.

    The high watermark had waited for a follower that may join, whose time has passed.
    """
    partition = desk.partition()
    leader_state_of(partition).isr = leader_state_of(partition).isr.of((1, 2))
    fetched(partition, 2, 0)
    del desk.brokers[3]
    fetched(partition, 3, 0)
    desk.brokers |= FakeNode().brokers
    desk.produce_numbered()
    responses = desk.produce(timeout_ms=60_000)
    fetched(partition, 2, 2)
    assert responses == []

    desk.time_ms += LAG_MAX_MS + 1
    desk.produce_numbered()

    assert _errors(responses) == [ErrorCode.NONE]


# --------------------------------------------------------------------------------------- fetch


def test_the_log_end_completes_a_followers_fetch(desk: Desk) -> None:
    """Before consumers can read the records."""
    waiting, reading = desk.fetch(follower(2), at(0)), desk.fetch(consumer(), at(0))

    desk.produce(acks=1)

    assert _read(waiting) == [(ErrorCode.NONE, True)]
    assert reading == []


def test_a_followers_response_has_the_previous_high_watermark(desk: Desk) -> None:
    """Kafka's testFollowerFetchWithDefaultSelectorNoForcedHwPropagation.

    The fetch that moves the high watermark completes the produce, but not its own wait at the log
    end: the next response has the new value.
    """
    produced = desk.produce()
    fetched(desk.partition(), 3, 1)
    [[first]] = desk.fetch(follower(2), at(0))
    assert first.high_watermark == 0

    second = desk.fetch(follower(2), at(1), max_wait_ms=500)

    assert _errors(produced) == [ErrorCode.NONE]
    assert second == []
    desk.advance(500)
    assert second[0][0].high_watermark == 1


def test_a_failed_fetch_does_not_update_the_follower(desk: Desk) -> None:
    """Kafka's testFollowerStateNotUpdatedIfLogReadFails: fenced, or diverging."""
    append(desk.partition())
    replica = leader_state_of(desk.partition()).replicas[2]

    fenced = desk.fetch(follower(2), at(0, epoch=4))
    diverging = desk.fetch(follower(2), at(2, last_fetched_epoch=5))

    assert _read(fenced) == [(ErrorCode.FENCED_LEADER_EPOCH, False)]
    assert diverging[0][0].diverging_epoch == (5, 1)
    assert replica.log_end_offset == -1


def test_a_fetch_updates_only_partitions_of_the_follower(desk: Desk) -> None:
    """Kafka's testFetchMessagesWhenNotFollowerForOnePartition."""
    leader_state_of(desk.partition(OTHER)).replicas.pop(2)
    for key in (KEY, OTHER):
        append(desk.partition(key))
    fetched(desk.partition(), 3, 1)

    responses = desk.fetch(follower(2), at(1, epoch=5), at(1, OTHER, epoch=5))

    assert _read(responses) == [
        (ErrorCode.NONE, False),
        (ErrorCode.UNKNOWN_LEADER_EPOCH, False),
    ]
    assert [result.high_watermark for result in responses[0]] == [0, -1]
    assert desk.partition().log.high_watermark == 1
    assert desk.partition(OTHER).log.high_watermark == 0


@pytest.mark.parametrize(
    ("leader_only", "epoch", "error"),
    [
        (True, -1, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (True, 5, ErrorCode.FENCED_LEADER_EPOCH),
        (False, 5, ErrorCode.FENCED_LEADER_EPOCH),
    ],
)
def test_lost_leadership_completes_waiting_fetches(
    desk: Desk, leader_only: bool, epoch: int, error: ErrorCode
) -> None:
    """Kafka's testBecomeFollowerWhileOldClientFetchInPurgatory, ...NewClientFetchInPurgatory."""
    responses = desk.fetch(consumer(leader_only=leader_only), at(0, epoch=epoch))

    desk.lose(KEY)

    assert _read(responses) == [(error, False)]


def test_a_consumer_of_a_follower_waits_for_its_high_watermark(desk: Desk) -> None:
    """KIP-392: the follower's high watermark completes the fetch."""
    responses = desk.fetch(consumer(), at(0))
    desk.lose(KEY)
    assert responses == []

    from_leader = records(b"a", base_offset=0, partition_leader_epoch=6)
    desk.partition().append_as_follower(from_leader, 6, 1, 0)
    desk.purgatories.after_replicated(KEY, 1)

    assert _read(responses) == [(ErrorCode.NONE, True)]


def test_a_consumer_above_the_high_watermark_does_not_wait(desk: Desk) -> None:
    """Between high watermark and log end the response is empty."""
    append(desk.partition(), 2)

    responses = desk.fetch(consumer(), at(1))

    assert _read(responses) == [(ErrorCode.NONE, False)]


# -------------------------------------------------------------------------------------- delete


def test_a_deletion_waits_for_every_live_replica(desk: Desk) -> None:
    """The result has the low watermark."""
    append(desk.partition(), 3)
    fetched(desk.partition(), 2, 3)
    fetched(desk.partition(), 3, 3)

    responses = desk.delete({KEY: 2})
    fetched(desk.partition(), 2, 3, log_start_offset=2, has_delayed_deletes=True)
    assert responses == []
    fetched(desk.partition(), 3, 3, log_start_offset=2, has_delayed_deletes=True)

    assert _errors(responses) == [ErrorCode.NONE]
    assert responses[0][KEY].low_watermark == 2


def test_a_deletion_that_times_out_has_deleted_here(desk: Desk) -> None:
    """REQUEST_TIMED_OUT with the initial low watermark, for each partition."""
    append(desk.partition(), 3)
    fetched(desk.partition(), 2, 3)
    fetched(desk.partition(), 3, 3)

    responses = desk.delete({KEY: 2, NOWHERE: 1}, timeout_ms=500)
    fetched(desk.partition(), 2, 3, log_start_offset=2, has_delayed_deletes=True)
    desk.advance(500)

    assert _errors(responses) == [
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    assert [result.low_watermark for result in responses[0].values()] == [0, -1]
    assert desk.partition().log.log_start_offset == 2


def test_lost_leadership_does_not_check_deletions(desk: Desk) -> None:
    """As in Kafka: the next check or the timeout completes them."""
    append(desk.partition(), 3)
    fetched(desk.partition(), 2, 3)
    fetched(desk.partition(), 3, 3)
    responses = desk.delete({KEY: 2}, timeout_ms=500)

    desk.lose(KEY)
    assert responses == []
    desk.purgatories.after_offsets_moved(KEY, 3)

    assert _errors(responses) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert responses[0][KEY].low_watermark == -1


def test_a_deletion_without_wait_completes_immediately(desk: Desk) -> None:
    """All replicas are past the offset, or all partitions have errors."""
    append(desk.partition(), 3)
    for node_id in (2, 3):
        fetched(desk.partition(), node_id, 3)

    assert _errors(desk.delete({KEY: 0})) == [ErrorCode.NONE]
    assert _errors(desk.delete({KEY: 4})) == [ErrorCode.OFFSET_OUT_OF_RANGE]
