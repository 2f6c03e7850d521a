"""The sparse index ``.timeindex`` of a segment: timestamp to offset (Kafka's ``TimeIndex``).

An entry is the maximum timestamp of all batches up to and including the one with this last offset.
On disk: big-endian int64 timestamp, int32 offset relative to the base offset of the segment.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from broker.storage.indexes.sparse_index import SparseIndex

_ENTRY: Final = Struct(">qi")


class TimeIndex(SparseIndex):
    """Invariant: timestamps and offsets increase strictly."""

    __slots__ = ()

    ENTRY = _ENTRY
    KEPT_FREE = 1  # for the last entry of the segment

    def maybe_append(self, timestamp: int, offset: int) -> None:
        """Add the maximum timestamp so far, unless it is -1 or in the last entry."""
        if timestamp < 0:
            return
        entries = self._loaded() if self._entries is None else self._entries
        if entries:
            last_timestamp, last_offset = _ENTRY.unpack_from(entries, len(entries) - _ENTRY.size)
            if timestamp <= last_timestamp or offset - self.base_offset <= last_offset:
                return
        entries += _ENTRY.pack(timestamp, offset - self.base_offset)

    def lookup(self, timestamp: int) -> int:
        """The offset of the last entry up to *timestamp*; the base offset if there is none."""
        found = self._up_to(timestamp, 0)
        return int(self._entry(found - 1)[1]) + self.base_offset if found else self.base_offset

    @property
    def last_entry(self) -> tuple[int, int] | None:
        """The last (timestamp, offset); None if there is none."""
        count = len(self)
        if not count:
            return None
        timestamp, offset = self._entry(count - 1)
        return timestamp, offset + self.base_offset

    @property
    def entries(self) -> list[tuple[int, int]]:
        """All (timestamp, offset)."""
        return [(time, at + self.base_offset) for time, at in _ENTRY.iter_unpack(self._loaded())]

    def truncate_to(self, offset: int) -> None:
        """Remove the entries from *offset* on."""
        self._cut(self._up_to(offset - self.base_offset - 1, 1))

    def is_sane(self) -> bool:
        """Whether, by its first and last entry, the file can be a time index."""
        if not self._is_whole():
            return False
        count = len(self)
        if not count:
            return True
        first, first_offset = self._entry(0)
        last, last_offset = self._entry(count - 1)
        return bool(0 <= first_offset <= last_offset and first <= last)
