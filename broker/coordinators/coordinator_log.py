"""A partition of an internal topic, as a coordinator uses it.

The reading and the writing side of Kafka's ``CoordinatorLoader`` and ``PartitionWriter``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from broker.coordinators.coordinator_record import RawRecord
from protocol.record_batch.block import RecordBlock
from protocol.record_batch.control import EndTxnMarker


class TransactionalProducer(NamedTuple):
    """The producer in whose transaction records are written.

    ``verification_guard`` is the guard of the transaction's verification, 0 if none is needed.
    """

    producer_id: int
    producer_epoch: int
    verification_guard: int = 0


class TransactionEnd(NamedTuple):
    """A transaction marker in the log: it commits or aborts the records of a producer id."""

    producer_id: int
    is_commit: bool
    offset: int


class LogSlice(NamedTuple):
    """Some records and transaction markers, and the offset at which to continue reading.

    The records are decoded as they are iterated over, which may raise `CorruptRecords`.
    """

    records: Iterable[RawRecord | TransactionEnd]
    next_offset: int


class CoordinatorLog(Protocol):
    """A partition that this node leads."""

    @property
    def leader_epoch(self) -> int:
        """The epoch in which this node leads the partition."""
        ...

    @property
    def start_offset(self) -> int:
        """The log start offset."""
        ...

    @property
    def end_offset(self) -> int:
        """The offset of the next record."""
        ...

    @property
    def high_watermark(self) -> int:
        """All records below this offset are replicated."""
        ...

    @property
    def batch_bytes_max(self) -> int:
        """The maximum size of a batch in bytes (``max.message.bytes``)."""
        ...

    def read(self, offset: int) -> LogSlice:
        """Return some records and markers from *offset* on, which is below the end offset.

        Raises `ApiError` if the disk fails, `CorruptRecords` for bytes that are not a batch.
        """
        ...

    def append(self, records: RecordBlock, producer: TransactionalProducer | None = None) -> None:
        """Append *records* as one batch, in the transaction of *producer* if there is one.

        Raises `ApiError` with Produce's error if the log refuses; then nothing is appended. If the
        append moves the high watermark, the runtime is notified after this call, by the action
        queue.
        """
        ...

    def append_marker(
        self,
        producer_id: int,
        producer_epoch: int,
        marker: EndTxnMarker,
        transaction_version: int,
    ) -> None:
        """Append the control batch that ends a transaction; otherwise as `append`."""
        ...
