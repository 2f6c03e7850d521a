"""Limits the open files of all disks: to open one more, the least recently used one is closed.

So 5,000 partitions need a few hundred descriptors, and connections can use the others.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from broker.process.descriptors import shares


class Closable(Protocol):
    """What `OpenFiles` needs of a file."""

    recently_used: bool

    def close(self) -> None:
        """Close the file and call `OpenFiles.discard`."""
        ...


FileT = TypeVar("FileT", bound=Closable)


class OpenFiles(Generic[FileT]):
    """At most *limit* files; by default, the share of logs in the descriptors of the process."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = shares().logs if limit is None else limit
        # Oldest first. A file that was used since it was added is skipped once (second chance).
        self._files: OrderedDict[FileT, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[FileT]:
        return iter(list(self._files))

    def add(self, file: FileT) -> None:
        """Add *file*, which is about to be opened."""
        while len(self._files) >= self.limit:
            self.close_one()
        self._files[file] = None

    def discard(self, file: FileT) -> None:
        """Remove *file*, which has been closed."""
        self._files.pop(file, None)

    def close_one(self) -> bool:
        """Close the least recently used file; False if none is open."""
        while self._files:
            oldest = next(iter(self._files))
            if not oldest.recently_used:
                oldest.close()
                return True
            oldest.recently_used = False
            self._files.move_to_end(oldest)
        return False
