"""A partition of an internal topic, as a coordinator uses it.

The reading and the writing side of Kafka's ``CoordinatorLoader`` and ``PartitionWriter``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from broker.coordinators.coordinator_record import RawRecord


class LogSlice(NamedTuple):
    """Some records, and the offset at which to continue reading."""

    records: Sequence[RawRecord]
    next_offset: int


class CoordinatorLog(Protocol):
    """A partition that this node leads."""

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

    def read(self, offset: int) -> LogSlice:
        """Return some of the records from *offset* on, which is below the end offset.

        Raises `ApiError` if the disk fails, `CorruptRecords` for bytes that are not a batch.
        """
        ...

    def append(self, records: Sequence[RawRecord]) -> None:
        """Append *records* in one batch.

        Raises `ApiError` with Produce's error if the log refuses; then nothing is appended. If the
        append moves the high watermark, the runtime is notified after this call, by the action
        queue.
        """
        ...
