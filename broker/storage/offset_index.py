"""The ``.index`` of a segment: from offset to file position, sparse (Kafka's ``OffsetIndex``).

An entry says: the batch that begins at this position ends with this offset. On disk it is two
big-endian int32, offset relative to the segment's first, then position; read as one unsigned int64
an entry sorts by offset, so a look-up is one `bisect` over an array of them.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right

from broker.storage.disk import DiskFile
from protocol.records import INT32_MAX

ENTRY_BYTES = 8
_POSITION_MASK = 0xFFFF_FFFF
_SWAP = sys.byteorder == "little"


class OffsetIndex:
    """The entries of one segment, in memory while the segment is in use.

    New entries reach the file by `flush`. After a crash they are made anew from the batches.
    Invariant: offsets grow strictly.
    """

    __slots__ = ("_entries", "_flushed", "base_offset", "entries_max", "file")

    def __init__(self, file: DiskFile, base_offset: int, index_bytes_max: int) -> None:
        self.file = file
        self.base_offset = base_offset
        self.entries_max = index_bytes_max // ENTRY_BYTES
        self._entries: array[int] | None = None
        self._flushed = 0

    def append(self, last_offset: int, position: int) -> None:
        """Enter the batch at *position*, whose last offset is *last_offset*."""
        entries = self._loaded()
        entry = (last_offset - self.base_offset) << 32 | position
        assert not entries or entry >> 32 > entries[-1] >> 32
        entries.append(entry)

    def lookup(self, offset: int) -> int:
        """Position of a batch at or before *offset*, as near to it as the index knows."""
        entries = self._loaded()
        found = bisect_right(entries, (offset - self.base_offset) << 32 | _POSITION_MASK)
        return entries[found - 1] & _POSITION_MASK if found else 0

    def truncate_to(self, offset: int) -> None:
        """Forget *offset* and what is behind it."""
        entries = self._loaded()
        del entries[bisect_left(entries, max(0, offset - self.base_offset) << 32) :]
        self._flushed = min(self._flushed, len(entries))

    def reset(self) -> None:
        """Forget everything, on the disk too."""
        self._entries = array("Q")
        self._flushed = 0
        self.file.truncate(0)
        self.file.close()

    @property
    def is_full(self) -> bool:
        """Whether no entry fits any more."""
        return len(self._entries or ()) >= self.entries_max

    @property
    def entries(self) -> list[tuple[int, int]]:
        """All (offset, position)."""
        return [
            ((entry >> 32) + self.base_offset, entry & _POSITION_MASK) for entry in self._loaded()
        ]

    def flush(self) -> None:
        """Bring the file up to date."""
        entries = self._entries
        if entries is None:
            return
        if self._flushed < len(entries):
            new = entries[self._flushed :]
            if _SWAP:
                new.byteswap()
            self.file.write(new.tobytes(), self._flushed * ENTRY_BYTES)
            self._flushed = len(entries)
        self.file.truncate(len(entries) * ENTRY_BYTES)
        self.file.close()

    def unload(self) -> None:
        """Leave the entries to the file; the next look-up reads them again."""
        self.flush()
        self._entries = None

    def is_sane(self, segment_bytes: int) -> bool:
        """Whether the file can be the index of a segment of this size, by its last entry.

        Zeros there: entries that a broker set aside and did not live to fill.
        """
        size = self.file.size()
        if not size or size % ENTRY_BYTES:
            return not size
        last = int.from_bytes(self.file.read(ENTRY_BYTES, size - ENTRY_BYTES), "big")
        return 0 < last >> 32 <= INT32_MAX and last & _POSITION_MASK < segment_bytes

    def _loaded(self) -> array[int]:
        entries = self._entries
        if entries is None:
            entries = array("Q")
            size = self.file.size()
            if size:
                entries.frombytes(self.file.read(size - size % ENTRY_BYTES, 0))
            if _SWAP:
                entries.byteswap()
            self._entries = entries
            self._flushed = len(entries)
        return entries
