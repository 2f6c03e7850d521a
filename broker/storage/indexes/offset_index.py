"""The sparse index ``.index`` of a segment: offset to file position (Kafka's ``OffsetIndex``).

An entry is the last offset and the position of a batch. On disk it is two big-endian int32: the
offset relative to the base offset of the segment, then the position.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from broker.storage.indexes.sparse_index import SparseIndex
from protocol.record_batch.header import INT32_MAX

_ENTRY: Final = Struct(">ii")


class OffsetIndex(SparseIndex):
    """Invariant: offsets and positions increase strictly."""

    __slots__ = ()

    ENTRY = _ENTRY

    def append(self, last_offset: int, position: int) -> None:
        """Add the batch at *position*, whose last offset is *last_offset*."""
        entries = self._loaded() if self._entries is None else self._entries
        entries += _ENTRY.pack(last_offset - self.base_offset, position)

    def floor(self, offset: int) -> tuple[int, int] | None:
        """The last entry up to *offset*: last offset and position of a batch; None if none."""
        found = self._up_to(offset - self.base_offset, 0)
        if not found:
            return None
        at, position = self._entry(found - 1)
        return at + self.base_offset, position

    def lookup(self, offset: int) -> int:
        """Position of the nearest indexed batch at or before *offset*; 0 if there is none."""
        entry = self.floor(offset)
        return entry[1] if entry else 0

    def upper_bound(self, position: int) -> int | None:
        """The offset of the first entry at or after *position*; None if there is none.

        If *position* is that of the first entry, it is the second one, as in Kafka, whose binary
        search (``AbstractIndex.indexSlotRangeFor``) does not compare the first entry for equality.
        """
        number = self._up_to(position - 1, 1)
        if number == 0 and len(self) and self._entry(0)[1] == position:
            number = 1
        return None if number == len(self) else int(self._entry(number)[0]) + self.base_offset

    def truncate_to(self, offset: int) -> None:
        """Remove the entries from *offset* on."""
        self._cut(self._up_to(offset - self.base_offset - 1, 0))

    @property
    def last_position(self) -> int:
        """Position of the last indexed batch; 0 if there is none."""
        count = len(self)
        return int(self._entry(count - 1)[1]) if count else 0

    @property
    def entries(self) -> list[tuple[int, int]]:
        """All (offset, position)."""
        base = self.base_offset
        return [
            (offset + base, position) for offset, position in _ENTRY.iter_unpack(self._loaded())
        ]

    def is_sane(self, segment_bytes: int) -> bool:
        """Whether, by its last entry, the file can be the index of a segment of this size.

        Kafka allocates the file with zeros; a broker that was killed leaves them at its end.
        """
        if not self._is_whole():
            return False
        count = len(self)
        if not count:
            return True
        offset, position = self._entry(count - 1)
        return bool(0 < offset <= INT32_MAX and 0 <= position < segment_bytes)
