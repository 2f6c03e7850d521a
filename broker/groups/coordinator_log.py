"""A partition of ``__consumer_offsets``, as the coordinator of its groups sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from broker.groups.records.serde import RawRecord


class LogSlice(NamedTuple):
    """Some records, and the offset to read on from."""

    records: Sequence[RawRecord]
    next_offset: int


class CoordinatorLog(Protocol):
    """One partition, which this node leads."""

    @property
    def start_offset(self) -> int:
        """Where the records begin."""
        ...

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets."""
        ...

    @property
    def high_watermark(self) -> int:
        """Everything below this offset is replicated."""
        ...

    def read(self, offset: int) -> LogSlice:
        """Some of the records from *offset* on, which lies below the end.

        Raises `ApiError` if the disk fails, `CorruptRecords` for bytes that are no records.
        """
        ...

    def append(self, records: Sequence[RawRecord]) -> None:
        """Append them in one batch.

        Raises `ApiError` with Produce's error if the log refuses; then nothing was appended. The
        runtime is notified after this call, through the action queue, if the high watermark moved.
        """
        ...
