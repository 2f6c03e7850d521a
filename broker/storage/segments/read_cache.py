"""A cache of the last read of each log.

One append can complete thousands of fetches that wait at the same offset: they share one read and
one copy of its bytes. The cached bytes of all logs are bounded; the oldest read is dropped first.
"""

from __future__ import annotations

from broker.storage.segments.file_slice import FileSlice
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from protocol.lazy_dataclass import dataclass

# The arguments of a read: start offset, maximum bytes, offset and position of the upper bound, and
# whether the first batch must be complete.
ReadKey = tuple[int, int, int, int, bool]


@dataclass(slots=True, eq=False)
class FetchDataInfo:
    """The result of a read: where it began, and the bytes as they are stored.

    ``first_entry_incomplete``: the first batch is cut, because it exceeds the limit.
    """

    offset_metadata: LogOffsetMetadata
    records: memoryview | bytes
    first_entry_incomplete: bool = False


@dataclass(slots=True, eq=False)
class SliceInfo:
    """The result of a read of many bytes, which are read from the file when they are sent."""

    offset_metadata: LogOffsetMetadata
    records: FileSlice
    first_entry_incomplete: bool = False

    def read(self) -> FetchDataInfo:
        """The same with all bytes read into memory; raises `SpliceLost`."""
        return FetchDataInfo(
            self.offset_metadata, self.records.whole(), self.first_entry_incomplete
        )


class LastRead:
    """The last read of one log. Invariant: ``key`` is None exactly when ``data`` is."""

    __slots__ = ("data", "key")

    def __init__(self) -> None:
        self.key: ReadKey | None = None
        self.data: FetchDataInfo | None = None

    def forget(self) -> None:
        """Drop the data."""
        self.key = self.data = None


class ReadCache:
    """The last reads of all logs, which share a memory budget."""

    __slots__ = ("_budget_bytes", "_held_bytes", "_sizes")

    def __init__(self, budget_bytes: int = 64 * 1024 * 1024) -> None:
        self._budget_bytes = budget_bytes
        self._held_bytes = 0
        # Oldest first.
        self._sizes: dict[LastRead, int] = {}

    def keep(self, last: LastRead, key: ReadKey, data: FetchDataInfo) -> None:
        """Keep the result of the read with the arguments *key*."""
        size = len(data.records)
        self._held_bytes += size - self._sizes.pop(last, 0)
        self._sizes[last] = size
        last.key, last.data = key, data
        while self._held_bytes > self._budget_bytes:
            oldest = next(iter(self._sizes))
            self.drop(oldest)

    def drop(self, last: LastRead) -> None:
        """Drop the read of one log and release its part of the budget."""
        self._held_bytes -= self._sizes.pop(last, 0)
        last.forget()
