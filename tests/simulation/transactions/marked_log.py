"""The transactions of one partition, read from its committed batches.

    batch of pid 7 --> open: first offset, values --> batch --> marker: committed or aborted
    batch without transaction --> visible

A transaction has batches of one epoch in a partition, with contiguous sequences, and no other batch
of its producer id is between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from broker.common.topic_partition import TopicPartition
from broker.transactions.transitions import LAST_CLIENT_EPOCH
from protocol.record_batch.batch import records
from protocol.record_batch.control import end_txn_marker
from protocol.record_batch.header import NO_PRODUCER_ID, BatchHeader, read_header
from protocol.record_batch.record import Record
from tests.simulation.committed import Committed
from tests.simulation.transactions.ledger import Ledger, Transaction
from tests.simulation.violation import Violation

Identify = Callable[[Record], Transaction | None]


@dataclass(eq=False)
class Part:
    """The part of a transaction in one partition; ``marker`` is the offset of its end."""

    transaction: Transaction
    producer_id: int
    first: int
    epoch: int
    sequence: int
    records: list[Record] = field(default_factory=list)
    marker: int | None = None
    committed: bool = False


class MarkedLog:
    """Reads the committed batches in order; *identify* returns the transaction of a record."""

    def __init__(
        self, key: TopicPartition, committed: Committed, ledger: Ledger, identify: Identify
    ) -> None:
        self.key = key
        self._committed = committed
        self._ledger = ledger
        self._identify = identify
        self._read = 0
        self._open: dict[int, Part] = {}
        # The records of data batches in order, each with its part, if it is in a transaction.
        self._records: list[tuple[Record, Part | None]] = []
        self._by_offset: dict[int, Part | None] = {}

    def catch_up(self) -> None:
        """Read the batches that are committed now; raises `Violation`."""
        batches = self._committed.in_order
        while self._read < len(batches):
            data = batches[self._read]
            self._read += 1
            header = read_header(data)
            if header.is_control:
                self._end(header, data)
            else:
                self._append(header, list(records(data)))

    def hidden_by(self, offset: int) -> Part | None:
        """The open or aborted transaction of the record at an offset; None if it is visible."""
        part = self._by_offset[offset]
        return None if part is None or part.committed else part

    def visible(self) -> Iterator[Record]:
        """The records that a consumer with read_committed gets, in order."""
        return (each for each, part in self._records if part is None or part.committed)

    def visible_of(self, transaction: Transaction) -> Iterator[Record]:
        """The records of a transaction that a consumer with read_committed gets."""
        return (
            each
            for each, part in self._records
            if part is not None and part.transaction is transaction and part.committed
        )

    def open_parts(self) -> list[Part]:
        """The parts of transactions without marker."""
        return list(self._open.values())

    def _append(self, header: BatchHeader, appended: list[Record]) -> None:
        part = self._open.get(header.producer_id)
        if header.is_transactional and header.producer_id != NO_PRODUCER_ID:
            part = self._continued(header, appended, part)
        elif part is not None:
            raise Violation(
                f"{self.key}: a batch at {header.base_offset} is in no transaction, though "
                f"{part.transaction.name} of its producer is open"
            )
        for record in appended:
            self._records.append((record, part))
            self._by_offset[record.offset] = part

    def _continued(self, header: BatchHeader, appended: list[Record], part: Part | None) -> Part:
        [transaction] = {self._identify(record) for record in appended}
        if transaction is None:
            raise Violation(f"{self.key}: a foreign transaction at {header.base_offset}")
        self._ledger.check_appended(self.key, header.base_offset, transaction)
        if part is None:
            part = Part(
                transaction,
                header.producer_id,
                header.base_offset,
                header.producer_epoch,
                header.base_sequence,
            )
            self._open[header.producer_id] = part
        place = f"{self.key}: a batch of {transaction.name} at {header.base_offset}"
        if part.transaction is not transaction:
            raise Violation(f"{place} is in {part.transaction.name}, which is still open")
        if header.producer_epoch > LAST_CLIENT_EPOCH:
            raise Violation(f"{place} has epoch {header.producer_epoch}, which only markers have")
        if header.producer_epoch != part.epoch:
            raise Violation(f"{place} has epoch {header.producer_epoch} after {part.epoch}")
        if header.base_sequence not in (part.sequence, 0):
            raise Violation(f"{place} has sequence {header.base_sequence}, not {part.sequence}")
        part.sequence = header.last_sequence + 1
        part.records += appended
        return part

    def _end(self, header: BatchHeader, data: bytes) -> None:
        marker = end_txn_marker(data)
        assert marker is not None
        part = self._open.pop(header.producer_id, None)
        if part is None:
            return
        if header.producer_epoch < part.epoch:
            raise Violation(
                f"{self.key}: the marker at {header.base_offset} has epoch {header.producer_epoch} "
                f"below {part.epoch}, of {part.transaction.name}"
            )
        part.marker, part.committed = header.base_offset, not marker.is_abort
        self._ledger.ended(self.key, part.transaction, part.committed)
