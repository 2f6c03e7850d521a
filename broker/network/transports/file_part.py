"""A part of a file that was sent in memory, and is read when it is received."""

from __future__ import annotations

import os
import sys

from broker.network.transports.transport import Disconnected


class FilePart:
    """The *size* bytes of an open file that have not been received, from *position* on.

    Raises OSError if the process has too many open files.
    """

    __slots__ = ("_descriptor", "_position", "size")

    def __init__(self, descriptor: int, position: int, size: int) -> None:
        self._descriptor = os.dup(descriptor)  # that of the sender may be closed before
        self._position = position
        self.size = size

    def read_into(self, buffer: memoryview) -> int:
        """Read the next bytes; raises `Disconnected` if the file has become shorter."""
        try:
            count = _read_into(self._descriptor, buffer[: self.size], self._position)
        except OSError as error:
            raise Disconnected(error.strerror or str(error)) from None
        if not count:
            raise Disconnected("the file was truncated while it was being sent")
        self._position += count
        self.size -= count
        return count

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def _read_into(descriptor: int, buffer: memoryview, position: int) -> int:
    if sys.platform == "linux":
        return os.preadv(descriptor, [buffer], position)
    raise NotImplementedError  # other systems send no parts of files
