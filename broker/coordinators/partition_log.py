"""A partition of the node as a `CoordinatorLog` (Kafka's ``CoordinatorPartitionWriter``).

An appended batch is like any other: followers fetch it and consumers may read it. The operations
that wait on the partition are checked when the action queue runs, after the coordinator has applied
the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.coordinators.coordinator_log import (
    LogSlice,
    TransactionalProducer,
    TransactionEnd,
)
from broker.coordinators.coordinator_record import RawRecord
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.validation.append import AppendOrigin, AppendRefused
from protocol.record_batch.batch import batches, records
from protocol.record_batch.block import RecordBlock
from protocol.record_batch.control import EndTxnMarker, build_end_txn_marker, end_txn_marker
from protocol.record_batch.header import TRANSACTIONAL_BIT, BatchHeader
from purgatories.action_queue import ActionQueue

_PRODUCE_VERSION: Final = 13
# The size of one read, about a thousand records. Kafka's offsets.load.buffer.size is larger because
# its loader has its own thread.
_READ_BYTES: Final = 64 * 1024


class PartitionLog:
    """A partition that this node leads.

    Appends with ``required_acks`` 1 are not refused below ``min.insync.replicas``, as those with -1
    are.
    """

    __slots__ = ("_actions", "_clock", "_partition", "_purgatories", "_required_acks")

    def __init__(
        self,
        partition: Partition,
        purgatories: PartitionPurgatories,
        actions: ActionQueue,
        clock: Clock,
        required_acks: int,
    ) -> None:
        self._partition = partition
        self._purgatories = purgatories
        self._actions = actions
        self._clock = clock
        self._required_acks = required_acks

    @property
    def leader_epoch(self) -> int:
        """The epoch in which this node leads the partition."""
        return self._partition.leader_epoch

    @property
    def start_offset(self) -> int:
        """The log start offset."""
        return self._partition.log.log_start_offset

    @property
    def end_offset(self) -> int:
        """The offset of the next record."""
        return self._partition.log.log_end_offset

    @property
    def high_watermark(self) -> int:
        """All records below this offset are replicated."""
        return self._partition.log.high_watermark

    @property
    def batch_bytes_max(self) -> int:
        """``max.message.bytes`` of the topic."""
        return self._partition.log.config.max_message_bytes

    def read(self, offset: int) -> LogSlice:
        """Return the records and the transaction markers of some batches from *offset* on.

        Other control batches are left out. Raises `ApiError` and `CorruptRecords` as
        `CoordinatorLog.read`.
        """
        log = self._partition.log
        raw = memoryview(log.read(offset, _READ_BYTES, log.log_end_offset_metadata, True).records)
        # Compaction may have removed the last records of the log.
        next_offset = log.log_end_offset
        found = list(batches(raw))
        if found:
            next_offset = found[-1][1].next_offset
        return LogSlice(_entries(raw, found, offset), next_offset)

    def append(self, records: RecordBlock, producer: TransactionalProducer | None = None) -> None:
        """Append them as one batch; raises `ApiError`. The caller runs the action queue."""
        now_ms = self._clock.wall_ms()
        if producer is None:
            self._append(records.to_batch(now_ms))
            return
        batch = records.to_batch(
            now_ms,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            base_sequence=0,  # the sequence numbers of coordinators are not checked
            attributes=TRANSACTIONAL_BIT,
        )
        self._append(batch, verification_guard=producer.verification_guard)

    def append_marker(
        self,
        producer_id: int,
        producer_epoch: int,
        marker: EndTxnMarker,
        transaction_version: int,
    ) -> None:
        """Append a marker; raises `ApiError`. The caller runs the action queue."""
        batch = build_end_txn_marker(
            marker,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            timestamp=self._clock.wall_ms(),
        )
        self._append(batch, transaction_version=transaction_version)

    def _append(
        self, batch: bytes, *, verification_guard: int = NO_GUARD, transaction_version: int = 0
    ) -> None:
        try:
            _, moved = self._partition.append_as_leader(
                memoryview(bytearray(batch)),
                self._required_acks,
                _PRODUCE_VERSION,
                AppendOrigin.COORDINATOR,
                verification_guard=verification_guard,
                transaction_version=transaction_version,
            )
        except AppendRefused as refusal:
            raise ApiError(refusal.error, refusal.message) from refusal
        key, end = self._partition.key, self.end_offset
        self._actions.add(self._purgatories.after_append, key, end, moved)


def _entries(
    raw: memoryview, found: Iterable[tuple[int, BatchHeader]], offset: int
) -> Iterator[RawRecord | TransactionEnd]:
    """The records and markers from *offset* on in some batches, decoded one by one."""
    for position, header in found:
        if header.is_control:
            yield from _transaction_end(raw[position:], header, offset)
            continue
        for each in records(raw, position):
            if each.offset >= offset:
                yield RawRecord(each.key or b"", each.value, each.offset, header.producer_id)


def _transaction_end(
    batch: memoryview, header: BatchHeader, offset: int
) -> Iterator[TransactionEnd]:
    """The marker in a control batch, if it is one and not below *offset*."""
    marker = end_txn_marker(batch)
    if marker is not None and header.base_offset >= offset:
        yield TransactionEnd(header.producer_id, not marker.is_abort, header.base_offset)
