"""Records of a fetch that are read while they are sent (Kafka's ``FileRecords``).

So a response with megabytes of records for a slow client needs no memory for them. The file may be
closed meanwhile to save descriptors, and is opened again. If the records are deleted or truncated
meanwhile, the connection is closed, because the response has begun.
"""

from __future__ import annotations

from typing import Final

from broker.storage.files.disk import DiskFile
from protocol.output import SendFile, SpliceLost

# Fewer bytes are read into memory, and shared by all fetches that one append completes.
READ_AT_ONCE_BYTES: Final = 256 * 1024


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
        self._check()
        file = self._file
        try:
            data = file.read(size, self._position + start)
        except OSError as error:
            raise self._failed(error) from error
        if len(data) != size:
            raise self._shorter()
        return data

    def send(self, send_file: SendFile, start: int, size: int) -> int | None:
        """Send up to *size* bytes from *start* on; returns how many, 0 if the socket is full.

        None if the system cannot send from the file. Raises `SpliceLost`, and what *send_file*
        raises.
        """
        assert start + size <= self._size
        self._check()
        file, position = self._file, self._position + start
        try:
            descriptor = file.descriptor()
        except OSError as error:
            raise self._failed(error) from error
        sent = send_file(descriptor, position, size)
        if sent == 0 and file.size() < position + size:
            raise self._shorter()
        return sent

    def _check(self) -> None:
        file = self._file
        if file.cuts != self._cuts or not file.exists():
            raise SpliceLost(f"{file.name} was deleted or truncated while it was being sent")

    def _failed(self, error: OSError) -> SpliceLost:
        file = self._file
        file.disk.fail(file.place, error)
        return SpliceLost(f"{file.name}: {error.strerror}")

    def _shorter(self) -> SpliceLost:
        return SpliceLost(f"{self._file.name} is shorter than when the response began")

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
