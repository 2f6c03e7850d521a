"""Appends, reads and deletions that may have to wait (mirrors Kafka's ReplicaManagerTest)."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.replica_manager import DeleteResults, FetchResults, ProduceResults
from broker.steps.queue import finish
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


def _errors(answers: list[ProduceResults] | list[DeleteResults]) -> list[ErrorCode | int]:
    [answer] = answers
    return [result.error for result in answer.values()]


def _read(answers: list[FetchResults]) -> list[tuple[ErrorCode, bool]]:
    """Of each partition of the one answer, the error and whether there are records."""
    [answer] = answers
    return [(result.error, bool(result.records)) for result in answer]


# ------------------------------------------------------------------------------------- produce


def test_acks_all_waits_for_every_member(desk: Desk) -> None:
    """It is answered by the fetch that brings the last of them past the records."""
    answers = desk.produce()

    fetched(desk.partition(), 2, 1)
    assert answers == []
    fetched(desk.partition(), 3, 1)

    assert _errors(answers) == [ErrorCode.NONE]
    assert answers[0][KEY].base_offset == 0


def test_acks_0_and_1_do_not_wait(desk: Desk) -> None:
    """The leader has it, and that is all that was asked for."""
    assert _errors(desk.produce(acks=1)) == [ErrorCode.NONE]
    assert _errors(desk.produce(acks=0)) == [ErrorCode.NONE]


def test_a_wait_that_times_out_keeps_the_records(desk: Desk) -> None:
    """REQUEST_TIMED_OUT with the offset they got, and not a millisecond early."""
    desk.produce(acks=1)
    answers = desk.produce(timeout_ms=500)

    desk.advance(499)
    assert answers == []
    desk.advance(1)

    assert _errors(answers) == [ErrorCode.REQUEST_TIMED_OUT]
    assert answers[0][KEY].base_offset == 1
    assert desk.partition().log.log_end_offset == 2


def test_each_partition_has_its_own_fate(desk: Desk) -> None:
    """What is decided stays decided; the answer waits for the last."""
    answers = desk.produce(KEY, OTHER, NOWHERE, timeout_ms=500)
    desk.lose(KEY)
    assert answers == []

    desk.advance(500)

    assert _errors(answers) == [
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    assert [result.base_offset for result in answers[0].values()] == [0, 0, -1]


def test_a_lost_leadership_answers_who_waits(desk: Desk) -> None:
    """Kafka's testDeltaToFollowerCompletesProduce, testClearPurgatoryOnBecomingFollower."""
    answers = desk.produce()

    desk.lose(KEY)

    assert _errors(answers) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert answers[0][KEY].base_offset == 0


def test_a_deleted_partition_answers_who_waits(desk: Desk) -> None:
    """Removed from the map first, so that the check finds nothing there (Kafka's stopReplicas)."""
    produced = desk.produce()
    fetches = desk.fetch(consumer(), at(0))

    desk.drop(KEY)

    assert _errors(produced) == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
    assert _read(fetches) == [(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False)]


def test_min_isr_is_asked_for_before_the_append(desk: Desk) -> None:
    """NOT_ENOUGH_REPLICAS at once, with the real log start and nothing written."""
    partition = desk.partition()
    partition.set_min_insync_replicas(4)
    leader_state_of(partition).isr = leader_state_of(partition).isr.of((1, 2))

    answers = desk.produce()

    assert _errors(answers) == [ErrorCode.NOT_ENOUGH_REPLICAS]
    assert (answers[0][KEY].base_offset, answers[0][KEY].log_start_offset) == (-1, 0)
    assert answers[0][KEY].message is None
    assert partition.log.log_end_offset == 0


def test_only_records_are_refused_in_words(desk: Desk) -> None:
    """Kafka tells a RecordValidationException's message, and of any other error the code alone."""
    answers: list[ProduceResults] = []
    untimely, broken = records(b"a", timestamp=1 << 60), records(b"a")
    broken[-1] ^= 1

    for each in (untimely, broken):
        finish(desk.manager.append_records(1000, 1, {KEY: each}, 9, answers.append))

    told, untold = (answer[KEY] for answer in answers)
    assert told.error is ErrorCode.INVALID_TIMESTAMP
    assert told.message is not None
    assert [index for index, _ in told.record_errors] == [0]
    assert untold.error is ErrorCode.CORRUPT_MESSAGE
    assert (untold.message, list(untold.record_errors)) == (None, [])


def test_a_failed_append_wakes_nobody(desk: Desk) -> None:
    """Nothing was appended, so nothing is to be looked at."""
    answers: list[ProduceResults] = []
    broken = records(b"a")
    broken[-1] ^= 1

    finish(desk.manager.append_records(1000, -1, {KEY: broken}, 9, answers.append))

    assert _errors(answers) == [ErrorCode.CORRUPT_MESSAGE]
    assert len(desk.manager.actions) == 0


def test_a_produce_alone_in_the_set_is_answered_before_consumers_are_woken(desk: Desk) -> None:
    """The checks that follow from an append wait in the action queue for the request's end."""
    leader_state_of(desk.partition()).isr = leader_state_of(desk.partition()).isr.of((1,))
    woken = desk.fetch(consumer(), at(0))
    answers: list[ProduceResults] = []

    finish(desk.manager.append_records(1000, -1, {KEY: records(b"a")}, 9, answers.append))
    assert _errors(answers) == [ErrorCode.NONE]
    assert woken == []

    desk.manager.actions.try_complete_actions()
    assert _read(woken) == [(ErrorCode.NONE, True)]


def test_a_duplicate_waits_for_the_original(desk: Desk) -> None:
    """The producer asks again, and is told where its records are once they are replicated."""
    desk.produce_numbered()
    again = desk.produce_numbered()
    assert desk.partition().log.log_end_offset == 1
    assert again == []

    fetched(desk.partition(), 2, 1)
    fetched(desk.partition(), 3, 1)

    assert again[0][KEY].base_offset == 0


def test_a_duplicate_may_free_who_waits(desk: Desk) -> None:
    """It appends nothing, but it is an occasion to look at the high watermark.

    That had waited for a follower about to join, whose time is over meanwhile.
    """
    partition = desk.partition()
    leader_state_of(partition).isr = leader_state_of(partition).isr.of((1, 2))
    fetched(partition, 2, 0)
    del desk.brokers[3]
    fetched(partition, 3, 0)
    desk.brokers |= FakeNode().brokers
    desk.produce_numbered()
    answers = desk.produce(timeout_ms=60_000)
    fetched(partition, 2, 2)
    assert answers == []

    desk.time_ms += LAG_MAX_MS + 1
    desk.produce_numbered()

    assert _errors(answers) == [ErrorCode.NONE]


# --------------------------------------------------------------------------------------- fetch


def test_a_follower_is_woken_by_the_log_end(desk: Desk) -> None:
    """Long before consumers see anything."""
    waiting, reading = desk.fetch(follower(2), at(0)), desk.fetch(consumer(), at(0))

    desk.produce(acks=1)

    assert _read(waiting) == [(ErrorCode.NONE, True)]
    assert reading == []


def test_the_answer_tells_the_high_watermark_from_before(desk: Desk) -> None:
    """Kafka's testFollowerFetchWithDefaultSelectorNoForcedHwPropagation.

    The fetch that moves the high watermark acknowledges the produce, and its own wait, at the log
    end, is not ended by that: the next answer, a full wait later, tells it.
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


def test_a_fetch_that_fails_tells_nothing_of_the_follower(desk: Desk) -> None:
    """Kafka's testFollowerStateNotUpdatedIfLogReadFails: fenced, or diverging."""
    append(desk.partition())
    replica = leader_state_of(desk.partition()).replicas[2]

    fenced = desk.fetch(follower(2), at(0, epoch=4))
    diverging = desk.fetch(follower(2), at(2, last_fetched_epoch=5))

    assert _read(fenced) == [(ErrorCode.FENCED_LEADER_EPOCH, False)]
    assert diverging[0][0].diverging_epoch == (5, 1)
    assert replica.log_end_offset == -1


def test_a_follower_of_one_partition_only(desk: Desk) -> None:
    """Kafka's testFetchMessagesWhenNotFollowerForOnePartition: each partition by itself."""
    leader_state_of(desk.partition(OTHER)).replicas.pop(2)
    for key in (KEY, OTHER):
        append(desk.partition(key))
    fetched(desk.partition(), 3, 1)

    answers = desk.fetch(follower(2), at(1, epoch=5), at(1, OTHER, epoch=5))

    assert _read(answers) == [
        (ErrorCode.NONE, False),
        (ErrorCode.UNKNOWN_LEADER_EPOCH, False),
    ]
    assert [result.high_watermark for result in answers[0]] == [0, -1]
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
def test_a_lost_leadership_answers_who_reads(
    desk: Desk, leader_only: bool, epoch: int, error: ErrorCode
) -> None:
    """Kafka's testBecomeFollowerWhileOldClientFetchInPurgatory, ...NewClientFetchInPurgatory."""
    answers = desk.fetch(consumer(leader_only=leader_only), at(0, epoch=epoch))

    desk.lose(KEY)

    assert _read(answers) == [(error, False)]


def test_who_may_read_from_a_follower_waits_on(desk: Desk) -> None:
    """KIP-392: it is woken when the follower learns that records are replicated."""
    answers = desk.fetch(consumer(), at(0))
    desk.lose(KEY)
    assert answers == []

    from_leader = records(b"a", base_offset=0, partition_leader_epoch=6)
    desk.partition().append_as_follower(from_leader, 6, 1, 0)
    desk.purgatories.after_replicated(KEY, 1)

    assert _read(answers) == [(ErrorCode.NONE, True)]


def test_above_the_high_watermark_nobody_waits(desk: Desk) -> None:
    """A consumer between high watermark and log end is answered empty, at once."""
    append(desk.partition(), 2)

    answers = desk.fetch(consumer(), at(1))

    assert _read(answers) == [(ErrorCode.NONE, False)]


# -------------------------------------------------------------------------------------- delete


def test_a_deletion_waits_for_every_living_replica(desk: Desk) -> None:
    """And tells from where on all of them have records."""
    append(desk.partition(), 3)
    fetched(desk.partition(), 2, 3)
    fetched(desk.partition(), 3, 3)

    answers = desk.delete({KEY: 2})
    fetched(desk.partition(), 2, 3, log_start_offset=2)
    assert answers == []
    fetched(desk.partition(), 3, 3, log_start_offset=2)

    assert _errors(answers) == [ErrorCode.NONE]
    assert answers[0][KEY].low_watermark == 2


def test_a_deletion_that_times_out_has_happened_here(desk: Desk) -> None:
    """REQUEST_TIMED_OUT with the low watermark of its begin, partition by partition."""
    append(desk.partition(), 3)
    fetched(desk.partition(), 2, 3)
    fetched(desk.partition(), 3, 3)

    answers = desk.delete({KEY: 2, NOWHERE: 1}, timeout_ms=500)
    fetched(desk.partition(), 2, 3, log_start_offset=2)
    desk.advance(500)

    assert _errors(answers) == [
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    assert [result.low_watermark for result in answers[0].values()] == [0, -1]
    assert desk.partition().log.log_start_offset == 2


def test_a_deletion_is_not_woken_by_a_lost_leadership(desk: Desk) -> None:
    """Kafka has no such event for it: whoever looks next finds out, or its time ends."""
    append(desk.partition(), 3)
    fetched(desk.partition(), 2, 3)
    fetched(desk.partition(), 3, 3)
    answers = desk.delete({KEY: 2}, timeout_ms=500)

    desk.lose(KEY)
    assert answers == []
    desk.purgatories.after_offsets_moved(KEY, 3)

    assert _errors(answers) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert answers[0][KEY].low_watermark == -1


def test_what_is_deleted_everywhere_is_answered_at_once(desk: Desk) -> None:
    """An offset that all have passed, or nothing but errors."""
    append(desk.partition(), 3)
    for node_id in (2, 3):
        fetched(desk.partition(), node_id, 3)

    assert _errors(desk.delete({KEY: 0})) == [ErrorCode.NONE]
    assert _errors(desk.delete({KEY: 4})) == [ErrorCode.OFFSET_OUT_OF_RANGE]
