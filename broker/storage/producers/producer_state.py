"""The producers of a log and their transactions (KIP-98, Kafka's ``ProducerStateManager``).

The state of a producer is its epoch, its last five batches and its open transaction, so that a
retried batch is not written twice and undecided records are known.
`broker.storage.producers.producer_append` has the checks before an append.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.producers.packed_producers import PackedProducers
from broker.storage.producers.producer_state_entry import (
    NO_OFFSET,
    BatchMetadata,
    LastRecord,
    ProducerStateEntry,
)
from broker.storage.producers.transactions import CompletedTxn, Transactions, no_time
from broker.storage.producers.verification_state import VerificationStateEntry
from protocol.lazy_dataclass import dataclass
from protocol.record_batch.control import EndTxnMarker, end_txn_marker
from protocol.record_batch.header import TRANSACTIONAL_BIT, BatchHeader, add_sequence

# How much older than ``transaction.max.timeout.ms`` a late transaction is.
LATE_TRANSACTION_BUFFER_MS: Final = 300_000


class ProducerConfig(Protocol):
    """The settings of all logs of a node (Kafka's ``ProducerStateManagerConfig``)."""

    @property
    def producer_id_expiration_ms(self) -> int:
        """How long a producer without batches is kept (producer.id.expiration.ms)."""
        ...

    @property
    def transaction_partition_verification_enable(self) -> bool:
        """Whether a transaction must be verified before its first batch is appended."""
        ...

    @property
    def transaction_max_timeout_ms(self) -> int:
        """How long a transaction may be open (transaction.max.timeout.ms)."""
        ...


@dataclass(slots=True)
class DefaultProducerConfig:
    """Kafka's defaults, for logs without a broker."""

    producer_id_expiration_ms: int = 86_400_000
    transaction_partition_verification_enable: bool = True
    transaction_max_timeout_ms: int = 900_000


class ProducerStateManager:
    """The producers of one log by producer ID, from the batches below ``map_end_offset``.

    ``verifications`` are the transactions that are being verified, by producer ID; they are only in
    memory. ``packed`` is the snapshot in progress. *now_ms* returns monotonic milliseconds, for
    the durations of transactions.
    """

    __slots__ = (
        "_now_ms",
        "config",
        "map_end_offset",
        "name",
        "packed",
        "producers",
        "transactions",
        "verifications",
    )

    def __init__(
        self,
        name: str,
        config: ProducerConfig | None = None,
        now_ms: Callable[[], float] = no_time,
    ) -> None:
        self.name = name
        self.config = config or DefaultProducerConfig()
        self.producers: dict[int, ProducerStateEntry] = {}
        self._now_ms = now_ms
        self.transactions = Transactions(now_ms=now_ms)
        self.verifications: dict[int, VerificationStateEntry] = {}
        self.map_end_offset = 0
        self.packed: PackedProducers | None = None

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
        if header.attributes & TRANSACTIONAL_BIT:
            if self.verifications:
                self.verifications.pop(header.producer_id, None)
            if entry.current_txn_first_offset == NO_OFFSET:
                entry.current_txn_first_offset = first_offset
                self.transactions.begin(first_offset, header.producer_id)

    def end_transaction(
        self, header: BatchHeader, marker: EndTxnMarker, offset: int, timestamp: int
    ) -> AbortedTxn | None:
        """Add a *marker* that has been written at *offset*; returns an aborted transaction.

        A marker without an open transaction changes only the entry of the producer.
        """
        self._end_verification(header.producer_id, header.producer_epoch)
        entry = self._entry(header, timestamp)
        entry.coordinator_epoch = marker.coordinator_epoch
        first_offset, entry.current_txn_first_offset = entry.current_txn_first_offset, NO_OFFSET
        if first_offset == NO_OFFSET:
            return None
        completed = CompletedTxn(header.producer_id, first_offset, offset, marker.is_abort)
        return self.transactions.complete(completed)

    def _end_verification(self, producer_id: int, epoch: int) -> None:
        """Remove the verification of a transaction that ends with a marker of *epoch*.

        If each marker has an epoch of its own, that of *epoch* is for the next transaction.
        """
        verification = self.verifications.get(producer_id)
        if verification is not None and not (
            verification.supports_epoch_bump and verification.epoch == epoch
        ):
            del self.verifications[producer_id]

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
            marker = end_txn_marker(batch)
            if marker is None:
                return None
            return self.end_transaction(header, marker, header.last_offset, header.max_timestamp)
        self.update(header, header.base_offset, header.max_timestamp)
        return None

    def _entry(self, header: BatchHeader, timestamp: int) -> ProducerStateEntry:
        """The producer's entry, which gets the epoch of *header*."""
        if self.packed is not None:
            self.packed.keep(header.producer_id)
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
        """Replace the state by that of a snapshot, without expired producers.

        A snapshot in progress is dropped.
        """
        self.packed = None
        self.producers = {entry.producer_id: entry for entry in entries}
        self.transactions = Transactions(
            (
                (entry.current_txn_first_offset, entry.producer_id)
                for entry in self.producers.values()
                if entry.current_txn_first_offset != NO_OFFSET
            ),
            self._now_ms,
        )
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

    def has_late_transaction(self, now_ms: int) -> bool:
        """Whether the first open transaction is older than any timeout allows.

        Its age counts from the last batch of its producer, as in Kafka.
        """
        producer_id = next(iter(self.transactions.ongoing.values()), None)
        entry = None if producer_id is None else self.producers.get(producer_id)
        if entry is None or entry.last_timestamp <= 0:
            return False
        limit_ms = self.config.transaction_max_timeout_ms + LATE_TRANSACTION_BUFFER_MS
        return now_ms - entry.last_timestamp > limit_ms

    def remove_expired(self, now_ms: int) -> None:
        """Remove what is unused for ``producer.id.expiration.ms``.

        These are producers without a batch and without an open transaction, and verifications.
        """
        latest_ms = now_ms - self.config.producer_id_expiration_ms
        expired = [
            producer_id
            for producer_id, entry in self.producers.items()
            if entry.current_txn_first_offset == NO_OFFSET and entry.last_timestamp <= latest_ms
        ]
        for producer_id in expired:
            del self.producers[producer_id]
        if self.verifications:
            self.verifications = {
                producer_id: verification
                for producer_id, verification in self.verifications.items()
                if verification.timestamp > latest_ms
            }
