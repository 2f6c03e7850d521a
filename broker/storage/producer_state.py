"""The idempotent producers of a log, so that a retried batch is not written twice (KIP-98).

The state of a producer is its epoch and its last five batches. A duplicate of one of these gets the
same offsets in the response; a batch that does not follow the last one is refused. Kafka's
``ProducerStateManager``, ``ProducerAppendInfo`` and ``ProducerStateEntry``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from broker.storage.append import AppendOrigin, AppendRefused
from broker.storage.transaction_index import AbortedTxn
from broker.storage.transactions import CompletedTxn, Transactions
from protocol.errors import ErrorCode
from protocol.record_batch.control import end_txn_marker
from protocol.record_batch.header import (
    INT32_MAX,
    NO_PRODUCER_EPOCH,
    NO_SEQUENCE,
    BatchHeader,
    add_sequence,
)

BATCHES_REMEMBERED = 5
PRODUCER_ID_EXPIRATION_MS = 86_400_000  # producer.id.expiration.ms

NO_OFFSET = -1
NO_COORDINATOR_EPOCH = -1


class BatchMetadata(NamedTuple):
    """The end of one batch of a producer, its length and its timestamp."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_offset(self) -> int:
        """Offset of the batch's first record."""
        return self.last_offset - self.offset_delta


class ProducerStateEntry:
    """One producer. Invariant: ``batches`` are up to five of ``epoch``, oldest first."""

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "current_txn_first_offset",
        "epoch",
        "last_timestamp",
        "producer_id",
    )

    def __init__(self, producer_id: int, epoch: int, last_timestamp: int) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.last_timestamp = last_timestamp
        self.coordinator_epoch = NO_COORDINATOR_EPOCH
        self.current_txn_first_offset = NO_OFFSET
        self.batches: deque[BatchMetadata] = deque(maxlen=BATCHES_REMEMBERED)

    @property
    def last_sequence(self) -> int:
        """The sequence number of the last record; -1 if there is none."""
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    def duplicate_of(self, header: BatchHeader) -> BatchMetadata | None:
        """The batch of which *header* is a duplicate; None if there is none."""
        if header.producer_epoch != self.epoch:
            return None
        last, delta = header.last_sequence, header.last_offset_delta
        for batch in self.batches:
            if batch.last_sequence == last and batch.offset_delta == delta:
                return batch
        return None


class LastRecord(NamedTuple):
    """The last offset of a producer, None if it has written only markers, and its epoch."""

    last_offset: int | None
    epoch: int

    def is_in(self, header: BatchHeader) -> bool:
        """Whether the batch has this record; or may be this marker, if there are only markers."""
        if self.last_offset is None:
            return header.is_control and header.producer_epoch == self.epoch
        return header.last_offset == self.last_offset


class ProducerStateManager:
    """The producers of one log, from the batches below ``map_end_offset``."""

    __slots__ = ("expiration_ms", "map_end_offset", "name", "producers", "transactions")

    def __init__(self, name: str, expiration_ms: int = PRODUCER_ID_EXPIRATION_MS) -> None:
        self.name = name
        self.expiration_ms = expiration_ms
        self.producers: dict[int, ProducerStateEntry] = {}
        self.transactions = Transactions()
        self.map_end_offset = 0

    def check(self, header: BatchHeader, origin: AppendOrigin) -> BatchMetadata | None:
        """The batch of which *header* is a duplicate, or None if it may be written.

        Raises `AppendRefused` INVALID_PRODUCER_EPOCH or OUT_OF_ORDER_SEQUENCE_NUMBER.
        """
        entry = self.producers.get(header.producer_id)
        if entry is None or origin is AppendOrigin.REPLICATION:
            return None  # an unknown producer may begin with any sequence number
        if origin is AppendOrigin.CLIENT:
            duplicate = entry.duplicate_of(header)
            if duplicate is not None:
                return duplicate
        if header.producer_epoch < entry.epoch:
            raise AppendRefused(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer {header.producer_id} wrote to {self.name} in epoch "
                f"{header.producer_epoch}, but epoch {entry.epoch} has been seen",
            )
        if origin is AppendOrigin.CLIENT:
            self._check_sequence(header, entry)
        return None

    def _check_sequence(self, header: BatchHeader, entry: ProducerStateEntry) -> None:
        if entry.epoch == NO_PRODUCER_EPOCH:
            return
        if header.producer_epoch != entry.epoch:
            expected = 0
        else:
            last = entry.last_sequence
            expected = 0 if last == INT32_MAX else last + 1
        if header.base_sequence != expected:
            raise AppendRefused(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {header.producer_id} sent sequence number {header.base_sequence} to "
                f"{self.name} in epoch {header.producer_epoch}, where {expected} is next",
            )

    def update(self, header: BatchHeader, first_offset: int, max_timestamp: int) -> None:
        """Add a batch of records that has been written at *first_offset*."""
        entry = self._entry(header, max_timestamp)
        delta = header.last_offset_delta
        entry.batches.append(
            BatchMetadata(
                add_sequence(header.base_sequence, delta),
                first_offset + delta,
                delta,
                max_timestamp,
            )
        )
        if header.is_transactional and entry.current_txn_first_offset == NO_OFFSET:
            entry.current_txn_first_offset = first_offset
            self.transactions.begin(first_offset)

    def replay_all(self, headers: Iterable[BatchHeader], batches: memoryview) -> list[AbortedTxn]:
        """As `replay`, for consecutive *batches*."""
        aborted = []
        position = 0
        for header in headers:
            batch = batches[position : position + header.size]
            if (transaction := self.replay(header, batch)) is not None:
                aborted.append(transaction)
            position += header.size
        return aborted

    def replay(self, header: BatchHeader, batch: memoryview) -> AbortedTxn | None:
        """Add a batch that is in the log; returns the transaction that it aborts, if it does."""
        self.map_end_offset = header.next_offset
        if header.producer_id < 0:
            return None
        if header.is_control:
            return self._end_transaction(header, batch)
        self.update(header, header.base_offset, header.max_timestamp)
        return None

    def _end_transaction(self, header: BatchHeader, batch: memoryview) -> AbortedTxn | None:
        marker = end_txn_marker(batch)
        if marker is None:
            return None
        entry = self._entry(header, header.max_timestamp)
        entry.coordinator_epoch = marker.coordinator_epoch
        first_offset, entry.current_txn_first_offset = entry.current_txn_first_offset, NO_OFFSET
        if first_offset == NO_OFFSET:
            return None  # a transaction without records
        producer_id, end = header.producer_id, header.last_offset
        completed = CompletedTxn(producer_id, first_offset, end, marker.is_abort)
        return self.transactions.complete(completed)

    def _entry(self, header: BatchHeader, timestamp: int) -> ProducerStateEntry:
        """The producer's entry, which gets the epoch of *header*."""
        entry = self.producers.get(header.producer_id)
        if entry is None:
            entry = self.producers[header.producer_id] = ProducerStateEntry(
                header.producer_id, header.producer_epoch, timestamp
            )
        elif entry.epoch != header.producer_epoch:
            entry.batches.clear()
            entry.epoch = header.producer_epoch
        entry.last_timestamp = timestamp
        return entry

    def load(self, entries: Iterable[ProducerStateEntry], end_offset: int, now_ms: int) -> None:
        """Replace the state by that of a snapshot, without expired producers."""
        self.producers = {entry.producer_id: entry for entry in entries}
        self.transactions = Transactions()
        for entry in self.producers.values():
            if entry.current_txn_first_offset != NO_OFFSET:
                self.transactions.begin(entry.current_txn_first_offset)
        self.map_end_offset = end_offset
        self.remove_expired(now_ms)

    def last_records(self) -> dict[int, LastRecord]:
        """The last record of each producer by producer ID, which compaction must keep."""
        return {
            producer_id: LastRecord(
                entry.batches[-1].last_offset if entry.batches else None, entry.epoch
            )
            for producer_id, entry in self.producers.items()
        }

    def remove_expired(self, now_ms: int) -> None:
        """Remove producers without a batch for ``producer.id.expiration.ms``."""
        expired = [
            producer_id
            for producer_id, entry in self.producers.items()
            if entry.current_txn_first_offset == NO_OFFSET
            and now_ms - entry.last_timestamp >= self.expiration_ms
        ]
        for producer_id in expired:
            del self.producers[producer_id]
