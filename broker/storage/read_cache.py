"""The last slice read from each log, kept for the next reader who asks for the same.

One append can wake thousands of fetches that wait at the same offset: they share one read and one
copy of its bytes. What all logs together keep is bounded; the log that read longest ago gives way.
"""

from __future__ import annotations

from typing import NamedTuple

from broker.storage.file_slice import FileSlice
from broker.storage.offset_metadata import LogOffsetMetadata

Slice = tuple[int, int, int, int, bool]


class FetchDataInfo(NamedTuple):
    """What a read found: where it began, and the bytes as they are stored.

    ``first_entry_incomplete``: the limit is below the first batch, which is therefore cut.
    """

    offset_metadata: LogOffsetMetadata
    records: memoryview | bytes
    first_entry_incomplete: bool = False


class SliceInfo(NamedTuple):
    """The same for more records than are read at once: they are read when they are sent."""

    offset_metadata: LogOffsetMetadata
    records: FileSlice
    first_entry_incomplete: bool = False


class LastRead:
    """One log's last slice. Invariant: ``key`` is None exactly when ``data`` is."""

    __slots__ = ("data", "key")

    def __init__(self) -> None:
        self.key: Slice | None = None
        self.data: FetchDataInfo | None = None

    def forget(self) -> None:
        """The log has changed where it was read."""
        self.key = self.data = None


class ReadCache:
    """The slices of all logs that share a memory budget."""

    __slots__ = ("_budget_bytes", "_held_bytes", "_sizes")

    def __init__(self, budget_bytes: int = 64 * 1024 * 1024) -> None:
        self._budget_bytes = budget_bytes
        self._held_bytes = 0
        # Oldest first.
        self._sizes: dict[LastRead, int] = {}

    def keep(self, last: LastRead, key: Slice, data: FetchDataInfo) -> None:
        """Remember what has been read for *key*."""
        size = len(data.records)
        self._held_bytes += size - self._sizes.pop(last, 0)
        self._sizes[last] = size
        last.key, last.data = key, data
        while self._held_bytes > self._budget_bytes:
            oldest = next(iter(self._sizes))
            self.drop(oldest)

    def drop(self, last: LastRead) -> None:
        """Forget a log's slice and no longer count it."""
        self._held_bytes -= self._sizes.pop(last, 0)
        last.forget()
