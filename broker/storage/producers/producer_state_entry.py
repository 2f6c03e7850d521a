"""What a log knows of one producer: its epoch, last batches and open transaction (KIP-98).

Kafka's ``ProducerStateEntry`` and ``BatchMetadata``.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from protocol.record_batch.header import NO_SEQUENCE, BatchHeader

BATCHES_REMEMBERED: Final = 5

NO_OFFSET: Final = -1
NO_COORDINATOR_EPOCH: Final = -1


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
    """One producer. Invariant: ``batches`` are up to five of ``epoch``, oldest first.

    ``coordinator_epoch`` is that of the last marker, and ``current_txn_first_offset`` the first
    offset of the open transaction; -1 if there is none.
    """

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

    def is_in_transaction(self, epoch: int) -> bool:
        """Whether a transaction of *epoch* is open."""
        return self.epoch == epoch and self.current_txn_first_offset != NO_OFFSET

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
