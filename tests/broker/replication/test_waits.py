"""The descriptions of the waits of Produce, Fetch and DeleteRecords requests."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.produce_result import ProduceResult
from broker.replication.waits import DeleteRecordsWait, FetchWait, FlushWait, ProduceWait
from broker.steps.queue import finish
from broker.wait_records.causes import TIMED_OUT, Cause, CauseKind
from broker.wait_records.wait import WaitPartition
from protocol.errors import ErrorCode
from purgatories.operations.delayed_fetch import DelayedFetch
from tests.broker.replication.desk import Desk
from tests.broker.replication.world import (
    KEY,
    OTHER,
    append,
    at,
    consumer,
    fetched,
    records,
    waiting,
)

UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A node that leads two partitions of three replicas."""
    return Desk(tmp_path)


def produce_wait(desk: Desk, *, refused: bool = False) -> ProduceWait:
    """A record in each partition, replicated by no follower; *refused* adds a third partition."""
    entries = {key: records(b"a") for key in (KEY, OTHER)}
    operation = desk.manager.append_records(1000, -1, entries, 9, lambda _: None)
    assert operation is not None
    results = [(KEY._replace(partition=7), UUID(int=0), ProduceResult(UNKNOWN))] if refused else []
    return ProduceWait(operation, desk.partitions, results)


def delete_wait(desk: Desk) -> DeleteRecordsWait:
    """The deletion of one of two replicated records, which no follower has deleted."""
    append(desk.partition(), 2)
    replicate(desk, 2)
    operation = finish(desk.manager.delete_records(1000, {KEY: 1}, lambda _: None))
    assert operation is not None
    return DeleteRecordsWait(operation, desk.manager)


def delayed_fetch(desk: Desk) -> DelayedFetch[TopicPartition]:
    """A consumer's fetch from an empty partition."""
    params = waiting(consumer(), 1000)
    operation = desk.manager.fetch_messages(params, [at(0)], lambda _: None)
    assert operation is not None
    return operation


def fetch_wait(desk: Desk) -> FetchWait:
    """The wait for `delayed_fetch`."""
    return FetchWait(delayed_fetch(desk), desk.manager.partitions)


def replicate(desk: Desk, end: int) -> None:
    """Both followers fetch from *end*."""
    for node_id in (2, 3):
        fetched(desk.partition(), node_id, end)


def no_present_cause() -> Cause:
    """The cause of what completes now; an operation has its own cause."""
    raise AssertionError


def test_a_produce_names_the_replicas_behind_its_first_pending_partition(desk: Desk) -> None:
    """Node 2 has the record of the first partition, and no node that of the second."""
    wait = produce_wait(desk)
    fetched(desk.partition(), 2, 1)

    first = {"topic": "t", "partition": 0, "need": 1, "had": 0, "behind": [3], "behind_at": [-1]}
    assert wait.condition() == {"kind": "high_watermark", **first}

    fetched(desk.partition(), 3, 1)
    second = wait.condition()
    assert second is not None
    assert (second["partition"], second["behind"]) == (OTHER.partition, [2, 3])


def test_a_produce_of_decided_partitions_misses_nothing(desk: Desk) -> None:
    """Both partitions are replicated."""
    wait = produce_wait(desk)
    for key in (KEY, OTHER):
        for node_id in (2, 3):
            fetched(desk.partition(key), node_id, 1)

    assert wait.condition() is None


def test_a_produce_describes_refused_partitions_after_the_others(desk: Desk) -> None:
    """A pending partition has no error yet; a refused one has no progress."""
    wait = produce_wait(desk, refused=True)

    assert [(each.offset, each.error) for each in wait.partitions()] == [(0, 0), (0, 0), (-1, 3)]
    first, _, refused = wait.partition_facts()
    assert (first["needed_offset"], [each["node"] for each in first["replicas"]]) == (1, [1, 2, 3])
    assert refused == {"topic": "t", "partition": 7, "offset": -1, "error": 3}


def test_a_produce_to_a_partition_that_was_deleted_has_no_replicas(desk: Desk) -> None:
    """The offset that it needs is still known."""
    wait = produce_wait(desk)
    desk.partitions.remove(KEY)

    facts = next(iter(wait.partition_facts()))

    assert (facts["needed_offset"], facts["replicas"]) == (1, [])


def test_a_fetch_describes_its_bytes_and_start(desk: Desk) -> None:
    """What it needs and has, and the time that is left."""
    wait = fetch_wait(desk)
    desk.advance(300)

    assert wait.condition() == {"kind": "min_bytes", "need": 1, "had": 0}
    assert (wait.purgatory, wait.timeout_ms, wait.checks) == ("Fetch", 1000, 2)
    assert wait.remaining_ms(desk.now_ms()) == 700
    assert list(wait.partitions()) == [WaitPartition(KEY, 0, 0)]
    assert list(wait.partition_facts()) == [{"topic": "t", "partition": 0, "offset": 0}]


def test_a_deletion_describes_the_low_watermark(desk: Desk) -> None:
    """The offset needed and the smallest log start of the live replicas."""
    wait = delete_wait(desk)

    condition = {"kind": "low_watermark", "topic": "t", "partition": 0, "need": 1, "had": 0}
    assert wait.condition() == condition
    facts = {"topic": "t", "partition": 0, "offset": 1, "error": 0}
    assert list(wait.partition_facts()) == [facts]


def test_a_wait_ends_with_the_cause_of_its_operation(desk: Desk) -> None:
    """No cause before the end, then that of the event."""
    operation, cause = delayed_fetch(desk), Cause(CauseKind.APPEND, KEY)
    wait = FetchWait(operation, desk.manager.partitions)
    assert wait.cause(no_present_cause) is None

    operation.force_complete(cause)

    assert wait.cause(no_present_cause) is cause


def test_a_new_segment_that_ends_a_fetch_is_part_of_the_cause(desk: Desk) -> None:
    """The fetch starts in the segment before it, so the number of bytes is unknown."""
    append(desk.partition())
    replicate(desk, 1)
    params = waiting(consumer(), 1000)
    params.min_bytes = 1 << 20
    operation = desk.manager.fetch_messages(params, [at(0)], lambda _: None)
    assert operation is not None
    desk.partition().log.roll()
    append(desk.partition())
    replicate(desk, 2)

    assert operation.is_completed
    operation.completed_by = Cause(CauseKind.HIGH_WATERMARK, KEY, 2)
    cause = FetchWait(operation, desk.manager.partitions).cause(no_present_cause)

    assert cause is not None
    assert cause.to_dict()["segment"] == 1


def test_a_wait_that_times_out_has_the_cause_timeout(desk: Desk) -> None:
    """The timer completes its operation."""
    wait = fetch_wait(desk)
    desk.advance(1000)

    assert wait.cause(no_present_cause) is TIMED_OUT


def test_a_flush_describes_what_was_appended() -> None:
    """Its cause is always the flush; the operations of purgatories have no part in it."""
    wait = FlushWait([(KEY, UUID(int=0), ProduceResult(ErrorCode.NONE, base_offset=5))])

    assert (wait.purgatory, wait.timeout_ms) == ("Produce", None)
    assert wait.condition() == {"kind": "flush"}
    assert wait.cause(no_present_cause).kind is CauseKind.FLUSH
    assert [(each.offset, each.error) for each in wait.partitions()] == [(5, 0)]
    facts = {"topic": KEY.topic, "partition": KEY.partition, "offset": 5, "error": 0}
    assert list(wait.partition_facts()) == [facts]


@pytest.mark.parametrize("several", [False, True])
def test_only_an_operation_on_several_partitions_is_released(desk: Desk, several: bool) -> None:
    """Other lists may contain it after its completion; that of its only partition does not."""
    wanted = [at(0), at(0, OTHER)] if several else [at(0)]
    operation = desk.manager.fetch_messages(waiting(consumer(), 1000), wanted, lambda _: None)
    assert operation is not None
    operation.force_complete()

    FetchWait(operation, desk.manager.partitions).release()

    assert (operation.partitions == ()) is several


def test_a_produce_to_several_partitions_is_released(desk: Desk) -> None:
    """Its request has the records."""
    entries = {key: records(b"a") for key in (KEY, OTHER)}
    operation = desk.manager.append_records(1000, -1, entries, 9, lambda _: None)
    assert operation is not None
    operation.on_error = list[Exception]().append
    operation.force_complete()

    ProduceWait(operation, desk.partitions).release()

    assert operation.on_error is None
