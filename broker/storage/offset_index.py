"""The ``.index`` of a segment: from offset to file position, sparse (Kafka's ``OffsetIndex``).

An entry says: the batch that begins at this position ends with this offset. On disk it is two
big-endian int32, offset relative to the segment's first, then position.
"""

from __future__ import annotations

from struct import Struct

from broker.storage.sparse_index import SparseIndex
from protocol.record_batch.header import INT32_MAX

_ENTRY = Struct(">ii")


class OffsetIndex(SparseIndex):
    """Invariant: offsets grow strictly, and positions with them."""

    __slots__ = ()

    ENTRY = _ENTRY

    def append(self, last_offset: int, position: int) -> None:
        """Enter the batch at *position*, whose last offset is *last_offset*."""
        entries = self._loaded() if self._entries is None else self._entries
        entries += _ENTRY.pack(last_offset - self.base_offset, position)

    def floor(self, offset: int) -> tuple[int, int] | None:
        """The last entry at or before *offset*: a batch's last offset, and its position."""
        found = self._up_to(offset - self.base_offset, 0)
        if not found:
            return None
        at, position = self._entry(found - 1)
        return at + self.base_offset, position

    def lookup(self, offset: int) -> int:
        """Position of a batch at or before *offset*, as near to it as the index knows."""
        entry = self.floor(offset)
        return entry[1] if entry else 0

    def truncate_to(self, offset: int) -> None:
        """Forget *offset* and what is behind it."""
        self._cut(self._up_to(offset - self.base_offset - 1, 0))

    @property
    def last_position(self) -> int:
        """Position of the last batch that has an entry; 0 if none has."""
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
        """Whether the file can be the index of a segment of this size, by its last entry.

        Zeros there: entries that a broker set aside and did not live to fill.
        """
        if not self._is_whole():
            return False
        count = len(self)
        if not count:
            return True
        offset, position = self._entry(count - 1)
        return bool(0 < offset <= INT32_MAX and 0 <= position < segment_bytes)
