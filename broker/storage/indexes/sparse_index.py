"""The common part of a segment's two sparse indexes: sorted entries of one size in a file.

The entries are in memory only while the segment is active; for other segments a look-up reads only
the ten or twenty entries that it compares. So an unused index needs no memory.
"""

from __future__ import annotations

from bisect import bisect_right
from struct import Struct
from typing import Any, ClassVar, Final

from broker.storage.files.disk import DiskFile

_NO_FILE: Final = -1


class SparseIndex:
    """The entries of one segment, with the same bytes in memory and on disk.

    `flush` writes new entries to the file; after a crash they are rebuilt from the batches.
    """

    __slots__ = (
        "_count",
        "_entries",
        "_file_bytes",
        "_flushed_bytes",
        "_full_bytes",
        "base_offset",
        "file",
    )

    ENTRY: ClassVar[Struct]
    KEPT_FREE: ClassVar[int] = 0  # how many entries

    def __init__(self, file: DiskFile, base_offset: int, index_bytes_max: int) -> None:
        self.file = file
        self.base_offset = base_offset
        # The maximum size without the entries that are kept free.
        self._full_bytes = (index_bytes_max // self.ENTRY.size - self.KEPT_FREE) * self.ENTRY.size
        self._entries: bytearray | None = None
        # If they are in memory: how many of their bytes are in the file, and the file's size or
        # `_NO_FILE`.
        self._flushed_bytes = self._file_bytes = 0
        # If they are not in memory: the number of entries in the file; None if not read yet.
        self._count: int | None = None

    def __len__(self) -> int:
        if self._entries is not None:
            return len(self._entries) // self.ENTRY.size
        if self._count is None:
            self._count = self.file.size() // self.ENTRY.size
        return self._count

    @property
    def is_full(self) -> bool:
        """Whether there is only space for the entries that are kept free."""
        entries = self._entries
        return (self.size_bytes if entries is None else len(entries)) >= self._full_bytes

    @property
    def size_bytes(self) -> int:
        """The size of the file after a flush."""
        return len(self) * self.ENTRY.size

    def reset(self) -> None:
        """Remove all entries, also in the file. Raises OSError."""
        self._entries = bytearray()
        self._flushed_bytes = self._file_bytes = 0
        self.file.truncate(0)

    def begin(self) -> None:
        """Make the file, if it is not there. Raises OSError."""
        self._loaded()
        self._make_file()

    def _make_file(self) -> None:
        if self._file_bytes == _NO_FILE:
            self.file.make()
            self._file_bytes = 0

    def flush(self) -> None:
        """Write new entries to the file. Raises OSError."""
        entries = self._entries
        if entries is None:
            return
        size = len(entries)
        self._make_file()
        if self._flushed_bytes < size:
            self.file.write(bytes(memoryview(entries)[self._flushed_bytes :]), self._flushed_bytes)
            self._flushed_bytes = size
            self._file_bytes = max(self._file_bytes, size)
        if self._file_bytes > size:
            self.file.truncate(size)
            self._file_bytes = size

    def unload(self) -> None:
        """Flush and release the memory; look-ups read the file. Raises OSError."""
        if self._entries is not None:
            self.flush()
            self._count = len(self)
            self._entries = None
            self.file.close()

    def _is_whole(self) -> bool:
        """Whether the file exists and has complete entries only."""
        size = self.file.size_if_there()
        if size is None or size % self.ENTRY.size:
            return False
        self._count = size // self.ENTRY.size
        return True

    def _loaded(self) -> bytearray:
        """The entries, read into memory if necessary. Raises OSError."""
        if self._entries is None:
            on_disk = self.file.size_if_there()
            count = (on_disk or 0) // self.ENTRY.size if self._count is None else self._count
            size = count * self.ENTRY.size
            self._entries = bytearray(self.file.read(size, 0) if size else b"")
            self._flushed_bytes = len(self._entries)
            self._file_bytes = _NO_FILE if on_disk is None else on_disk
            self._count = None
        return self._entries

    def _cut(self, count: int) -> None:
        """Remove all but the first *count* entries."""
        entries = self._loaded()
        del entries[count * self.ENTRY.size :]
        self._flushed_bytes = min(self._flushed_bytes, len(entries))

    def _entry(self, number: int) -> tuple[Any, ...]:
        """The fields of an entry as on disk. Raises OSError."""
        size = self.ENTRY.size
        if self._entries is not None:
            return self.ENTRY.unpack_from(self._entries, number * size)
        return self.ENTRY.unpack(self.file.read(size, number * size).ljust(size, b"\0"))

    def _up_to(self, value: int, column: int) -> int:
        """The number of entries with at most *value* in this column, by which they are sorted."""
        return bisect_right(range(len(self)), value, key=lambda i: int(self._entry(i)[column]))
