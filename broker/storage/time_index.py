"""The ``.timeindex`` of a segment: from timestamp to offset, sparse (Kafka's ``TimeIndex``).

An entry says: up to and including the batch that ends with this offset, no record is younger than
this timestamp. On disk: big-endian int64 timestamp, int32 offset relative to the segment's first.
"""

from __future__ import annotations

from struct import Struct

from broker.storage.sparse_index import SparseIndex

_ENTRY = Struct(">qi")


class TimeIndex(SparseIndex):
    """Invariant: timestamps and offsets grow strictly."""

    __slots__ = ()

    ENTRY = _ENTRY
    KEPT_FREE = 1  # for the one that closes the segment

    def maybe_append(self, timestamp: int, offset: int) -> None:
        """Enter the largest timestamp so far, unless there is none or the last entry has it."""
        if timestamp < 0:
            return
        entries = self._loaded() if self._entries is None else self._entries
        if entries:
            last_timestamp, last_offset = _ENTRY.unpack_from(entries, len(entries) - _ENTRY.size)
            if timestamp <= last_timestamp or offset - self.base_offset <= last_offset:
                return
        entries += _ENTRY.pack(timestamp, offset - self.base_offset)

    def lookup(self, timestamp: int) -> int:
        """Offset of the last entry not younger than *timestamp*; the segment's first if none."""
        found = self._up_to(timestamp, 0)
        return int(self._entry(found - 1)[1]) + self.base_offset if found else self.base_offset

    @property
    def last_entry(self) -> tuple[int, int] | None:
        """The last (timestamp, offset)."""
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
        """Forget *offset* and what is behind it."""
        self._cut(self._up_to(offset - self.base_offset - 1, 1))

    def is_sane(self) -> bool:
        """Whether the file can be a time index, by its first and last entry."""
        if not self._is_whole():
            return False
        count = len(self)
        if not count:
            return True
        first, first_offset = self._entry(0)
        last, last_offset = self._entry(count - 1)
        return bool(0 <= first_offset <= last_offset and first <= last)
