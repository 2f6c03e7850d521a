"""Records of a fetch that are read while they are sent (Kafka's ``FileRecords``).

So a response with megabytes of records for a slow client needs no memory for them. The file may be
closed meanwhile to save descriptors, and is opened again. If the records are deleted or truncated
meanwhile, the connection is closed, because the response has begun.
"""

from __future__ import annotations

from broker.storage.disk import DiskFile
from protocol.output import SpliceLost

# Fewer bytes are read into memory, and shared by all fetches that one append completes.
READ_AT_ONCE_BYTES = 256 * 1024


class FileSlice:
    """*size* bytes of *file* from *position* on."""

    __slots__ = ("_cuts", "_file", "_position", "_size")

    def __init__(self, file: DiskFile, position: int, size: int) -> None:
        self._file = file
        self._position = position
        self._size = size
        self._cuts = file.cuts

    def __len__(self) -> int:
        return self._size

    def read(self, start: int, size: int) -> bytes:
        """Read *size* bytes from *start* on; raises `SpliceLost`."""
        assert start + size <= self._size
        file = self._file
        if file.cuts != self._cuts or not file.exists():
            raise SpliceLost(f"{file.name} was deleted or truncated while it was being sent")
        try:
            data = file.read(size, self._position + start)
        except OSError as error:
            file.disk.fail(file.place, error)
            raise SpliceLost(f"{file.name}: {error.strerror}") from error
        if len(data) != size:
            raise SpliceLost(f"{file.name} is shorter than when the response began")
        return data

    def part(self, start: int, size: int) -> FileSlice:
        """*size* bytes from *start* on, which are lost if this slice is lost."""
        assert start >= 0
        assert start + size <= self._size
        part = FileSlice(self._file, self._position + start, size)
        part._cuts = self._cuts
        return part

    def whole(self) -> bytes:
        """Read everything; raises `SpliceLost`."""
        return self.read(0, self._size)
