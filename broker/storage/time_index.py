"""The ``.timeindex`` of a segment: from timestamp to offset, sparse (Kafka's ``TimeIndex``).

An entry says: up to and including the batch that ends with this offset, no record is younger than
this timestamp. On disk: big-endian int64 timestamp, int32 offset relative to the segment's first.
"""

from __future__ import annotations

from bisect import bisect_right
from struct import Struct

from broker.storage.disk import DiskFile

_ENTRY = Struct(">qi")
ENTRY_BYTES = _ENTRY.size  # 12


class TimeIndex:
    """The entries of one segment, in memory as they are on disk while the segment is in use.

    New entries reach the file by `flush`. Invariant: timestamps and offsets grow strictly.
    """

    __slots__ = ("_entries", "_flushed_bytes", "base_offset", "entries_max", "file")

    def __init__(self, file: DiskFile, base_offset: int, index_bytes_max: int) -> None:
        self.file = file
        self.base_offset = base_offset
        self.entries_max = index_bytes_max // ENTRY_BYTES
        self._entries: bytearray | None = None
        self._flushed_bytes = 0

    def maybe_append(self, timestamp: int, offset: int) -> None:
        """Enter the largest timestamp so far, unless the last entry says as much."""
        entries = self._loaded()
        if entries:
            last_timestamp, last_offset = _ENTRY.unpack_from(entries, len(entries) - ENTRY_BYTES)
            if timestamp <= last_timestamp or offset - self.base_offset <= last_offset:
                return
        entries += _ENTRY.pack(timestamp, offset - self.base_offset)

    def lookup(self, timestamp: int) -> int:
        """Offset of the last entry not younger than *timestamp*; the segment's first if none."""
        entries = self._loaded()
        count = len(entries) // ENTRY_BYTES
        found = bisect_right(
            range(count), timestamp, key=lambda i: int(_ENTRY.unpack_from(entries, i * 12)[0])
        )
        if not found:
            return self.base_offset
        return int(_ENTRY.unpack_from(entries, (found - 1) * ENTRY_BYTES)[1]) + self.base_offset

    @property
    def last_entry(self) -> tuple[int, int] | None:
        """The last (timestamp, offset)."""
        entries = self._loaded()
        if not entries:
            return None
        timestamp, offset = _ENTRY.unpack_from(entries, len(entries) - ENTRY_BYTES)
        return timestamp, offset + self.base_offset

    @property
    def entries(self) -> list[tuple[int, int]]:
        """All (timestamp, offset)."""
        return [(time, at + self.base_offset) for time, at in _ENTRY.iter_unpack(self._loaded())]

    def truncate_to(self, offset: int) -> None:
        """Forget *offset* and what is behind it."""
        entries = self._loaded()
        keep = bisect_right(
            range(len(entries) // ENTRY_BYTES),
            offset - self.base_offset - 1,
            key=lambda i: int(_ENTRY.unpack_from(entries, i * ENTRY_BYTES)[1]),
        )
        del entries[keep * ENTRY_BYTES :]
        self._flushed_bytes = min(self._flushed_bytes, len(entries))

    def reset(self) -> None:
        """Forget everything, on the disk too."""
        self._entries = bytearray()
        self._flushed_bytes = 0
        self.file.truncate(0)
        self.file.close()

    @property
    def is_full(self) -> bool:
        """Whether no entry fits but the one that closes the segment."""
        return len(self._entries or ()) // ENTRY_BYTES >= self.entries_max - 1

    def flush(self) -> None:
        """Bring the file up to date."""
        entries = self._entries
        if entries is None:
            return
        if self._flushed_bytes < len(entries):
            self.file.write(bytes(entries[self._flushed_bytes :]), self._flushed_bytes)
            self._flushed_bytes = len(entries)
        self.file.truncate(len(entries))
        self.file.close()

    def unload(self) -> None:
        """Leave the entries to the file; the next look-up reads them again."""
        self.flush()
        self._entries = None

    def is_sane(self) -> bool:
        """Whether the file can be a time index, by its first and last entry."""
        size = self.file.size()
        if not size or size % ENTRY_BYTES:
            return not size
        first, first_offset = _ENTRY.unpack(self.file.read(ENTRY_BYTES, 0))
        last, last_offset = _ENTRY.unpack(self.file.read(ENTRY_BYTES, size - ENTRY_BYTES))
        return bool(0 <= first_offset <= last_offset and first <= last)

    def _loaded(self) -> bytearray:
        entries = self._entries
        if entries is None:
            size = self.file.size()
            entries = bytearray(self.file.read(size - size % ENTRY_BYTES, 0) if size else b"")
            self._entries = entries
            self._flushed_bytes = len(entries)
        return entries
