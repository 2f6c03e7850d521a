"""A partition as a `CoordinatorLog` (mirrors ``CoordinatorPartitionWriterTest``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.common.state_changes import StateChanges
from broker.coordinators.coordinator_log import TransactionalProducer, TransactionEnd
from broker.coordinators.coordinator_record import RawRecord
from broker.coordinators.partition_log import PartitionLog
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.storage.validation.append import AppendOrigin
from protocol.errors import ErrorCode
from protocol.record_batch.batch import batches, build_batch
from protocol.record_batch.block import RecordBlock
from protocol.record_batch.control import ControlRecordType, EndTxnMarker, end_txn_marker
from protocol.record_batch.header import CONTROL_BIT
from protocol.record_batch.record import Record
from purgatories.action_queue import ActionQueue
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.broker.groups.virtual_world import EPOCH_MS, ManualClock
from tests.broker.replication.world import KEY, make_follower, make_partition

A, B, C = (RawRecord(each, each) for each in (b"a", b"b", b"c"))
CLOCK = ManualClock()


def block(*records: RawRecord) -> RecordBlock:
    """The encoded records."""
    encoded = RecordBlock()
    for each in records:
        encoded.add(each.key, each.value)
    return encoded


def purgatories() -> PartitionPurgatories:
    """Purgatories without operations."""
    names = ("produce", "fetch", "delete", "share")
    produce, fetch, delete, share = map(_purgatory, names)
    return PartitionPurgatories(produce, fetch, delete, share, StateChanges())


def _purgatory(name: str) -> DelayedOperationPurgatory[Any]:
    return DelayedOperationPurgatory(name, SystemTimer(name, now_ms=lambda: 0))


def raw_log(partition: Partition) -> memoryview:
    """The bytes of the log."""
    view = partition.log
    return memoryview(view.read(0, 1000, view.log_end_offset_metadata, True).records)


@pytest.fixture
def partition(tmp_path: Path) -> Partition:
    return make_partition(tmp_path)


@pytest.fixture
def log(partition: Partition) -> PartitionLog:
    return PartitionLog(partition, purgatories(), ActionQueue(), CLOCK, required_acks=1)


def read(log: PartitionLog, offset: int) -> tuple[list[RawRecord | TransactionEnd], int]:
    """What one read returns, with decoded records."""
    found = log.read(offset)
    return list(found.records), found.next_offset


def verified(partition: Partition, epoch: int) -> TransactionalProducer:
    """Producer 5, whose transaction has been verified."""
    guard = partition.maybe_start_transaction_verification(5, epoch, 0, False)
    return TransactionalProducer(5, epoch, guard)


def test_appended_records_can_be_read(log: PartitionLog) -> None:
    """From any offset on, tombstones included."""
    gone = RawRecord(b"b", None)
    log.append(block(A, B))
    log.append(block(gone))

    assert read(log, 0) == ([A, B, gone], 3)
    assert read(log, 1) == ([B, gone], 3)
    assert (log.start_offset, log.end_offset, log.high_watermark) == (0, 3, 3)


def test_records_that_are_appended_together_are_one_batch(
    partition: Partition, log: PartitionLog
) -> None:
    """Mirrors testWriteRecords; the batch has the time and the leader epoch."""
    log.append(block(A, B))
    ((_, header),) = batches(raw_log(partition))

    assert (header.base_offset, header.last_offset) == (0, 1)
    assert (header.max_timestamp, header.partition_leader_epoch) == (EPOCH_MS, 5)


def test_records_of_a_transaction_are_a_batch_of_its_producer(
    partition: Partition, log: PartitionLog
) -> None:
    """Its batch is transactional and begins at sequence 0."""
    log.append(block(A, B), verified(partition, 2))
    ((_, header),) = batches(raw_log(partition))

    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (5, 2, 0)
    assert (header.is_transactional, header.is_control) == (True, False)


@pytest.mark.parametrize("is_abort", [True, False])
def test_an_appended_marker_ends_the_transaction(
    partition: Partition, log: PartitionLog, is_abort: bool
) -> None:
    """Mirrors testWriteTransactionEndMarker: a control batch with the coordinator epoch."""
    log.append_marker(5, 2, EndTxnMarker(is_abort, coordinator_epoch=9), 0)
    raw = raw_log(partition)
    ((_, header),) = batches(raw)

    assert end_txn_marker(raw) == EndTxnMarker(is_abort, coordinator_epoch=9)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (5, 2, -1)
    assert (header.max_timestamp, header.partition_leader_epoch) == (EPOCH_MS, 5)


def test_records_of_a_transaction_that_is_not_verified_are_refused(log: PartitionLog) -> None:
    """INVALID_TXN_STATE, as for a client."""
    with pytest.raises(ApiError) as refused:
        log.append(block(A), TransactionalProducer(5, 2))
    assert refused.value.code is ErrorCode.INVALID_TXN_STATE


def test_a_late_marker_is_refused(partition: Partition, log: PartitionLog) -> None:
    """From transaction version 2 on, a marker has an epoch of its own (KIP-1228)."""
    log.append(block(A), verified(partition, 2))
    with pytest.raises(ApiError) as refused:
        log.append_marker(5, 2, EndTxnMarker(is_abort=True, coordinator_epoch=0), 2)
    assert refused.value.code is ErrorCode.INVALID_PRODUCER_EPOCH


def test_records_and_markers_are_returned_with_their_producers(
    partition: Partition, log: PartitionLog
) -> None:
    """In the order of the log; records outside transactions have no producer id."""
    log.append(block(A))
    log.append(block(B), verified(partition, 0))
    log.append_marker(5, 0, EndTxnMarker(is_abort=False, coordinator_epoch=0), 0)
    log.append_marker(5, 0, EndTxnMarker(is_abort=True, coordinator_epoch=0), 0)
    found, next_offset = read(log, 0)

    assert found == [A, B, TransactionEnd(5, True, 2), TransactionEnd(5, False, 3)]
    assert [each.producer_id for each in found] == [-1, 5, 5, 5]
    assert next_offset == 4
    assert read(log, 3) == ([TransactionEnd(5, False, 3)], 4)


def test_other_control_batches_are_not_returned(partition: Partition, log: PartitionLog) -> None:
    """As the control batches of a quorum, which are no transaction markers."""
    log.append(block(A))
    key = (int(ControlRecordType.LEADER_CHANGE)).to_bytes(4)
    batch = build_batch(
        [Record(key, b"value", timestamp=EPOCH_MS)], attributes=CONTROL_BIT, producer_epoch=0
    )
    partition.append_as_leader(memoryview(bytearray(batch)), -1, 13, AppendOrigin.COORDINATOR)

    assert read(log, 0) == ([A], 2)


def test_a_large_log_takes_several_reads(log: PartitionLog) -> None:
    """Each read returns whole batches and the offset of the next read."""
    large = RawRecord(b"k", bytes(100_000))
    for _ in range(5):
        log.append(block(large))
    parts, offset = [], 0
    while offset < log.end_offset:
        records, offset = read(log, offset)
        parts.append(len(records))

    assert len(parts) > 1
    assert sum(parts) == 5


def test_with_acks_all_an_append_with_too_few_in_sync_replicas_is_refused(tmp_path: Path) -> None:
    """Nothing is appended."""
    partition = make_partition(tmp_path, replicas=(1, 2), min_insync_replicas=2)
    log = PartitionLog(partition, purgatories(), ActionQueue(), CLOCK, required_acks=-1)

    with pytest.raises(ApiError) as refused:
        log.append(block(A))
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert log.end_offset == 0


def test_with_acks_1_records_are_appended_with_too_few_in_sync_replicas(tmp_path: Path) -> None:
    """They are not replicated before enough replicas are in sync again."""
    partition = make_partition(tmp_path, replicas=(1, 2), min_insync_replicas=2)
    log = PartitionLog(partition, purgatories(), ActionQueue(), CLOCK, required_acks=1)

    log.append(block(A))

    assert (log.end_offset, log.high_watermark) == (1, 0)


def test_an_append_to_a_follower_is_refused(partition: Partition, log: PartitionLog) -> None:
    """The coordinator may not have resigned yet."""
    make_follower(partition)

    with pytest.raises(ApiError) as refused:
        log.append(block(A))
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_records_that_are_too_large_are_refused(partition: Partition, log: PartitionLog) -> None:
    """``max.message.bytes`` of the topic applies to coordinators, too."""
    with pytest.raises(ApiError) as refused:
        log.append(block(RawRecord(b"k", bytes(2_000_000))))

    assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE
    assert partition.log.log_end_offset == 0


@pytest.mark.parametrize(("isr", "replicated"), [((1,), [1]), ((1, 2), [])])
def test_the_listener_is_called_when_the_actions_run(
    tmp_path: Path, isr: tuple[int, ...], replicated: list[int]
) -> None:
    """An append moves the high watermark only if the leader is the only in-sync replica."""
    partition, listeners = make_partition(tmp_path, replicas=(1, 2), isr=isr), purgatories()
    actions = ActionQueue()
    log = PartitionLog(partition, listeners, actions, CLOCK, required_acks=1)
    marks: list[int] = []
    listener: Callable[[], None] = lambda: marks.append(log.high_watermark)  # noqa: E731 - typed
    listeners.high_watermark_listeners[KEY] = listener
    log.append(block(A))
    assert marks == []
    actions.try_complete_actions()

    assert marks == replicated
    assert (log.end_offset, log.high_watermark) == (1, len(replicated))
