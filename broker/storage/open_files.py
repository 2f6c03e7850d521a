"""The files that are open, over all disks; too many, and the one unused for longest is closed.

So 5,000 partitions get by with a few hundred descriptors, and the rest is left to connections.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from broker.process.descriptors import shares


class Closable(Protocol):
    """A file as its keeper sees it."""

    recently_used: bool

    def close(self) -> None:
        """Give the descriptor back; tells `OpenFiles.discard`."""
        ...


FileT = TypeVar("FileT", bound=Closable)


class OpenFiles(Generic[FileT]):
    """At most *limit* files; by default, the logs' share of what the process may open."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = shares().logs if limit is None else limit
        # Oldest first. A file used since it came here is spared once (second chance).
        self._files: OrderedDict[FileT, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[FileT]:
        return iter(list(self._files))

    def add(self, file: FileT) -> None:
        """Keep *file*, which is to be opened now."""
        while len(self._files) >= self.limit:
            self.close_one()
        self._files[file] = None

    def discard(self, file: FileT) -> None:
        """*file* is closed."""
        self._files.pop(file, None)

    def close_one(self) -> bool:
        """Close the file that has not been used for longest; False if none is open."""
        while self._files:
            oldest = next(iter(self._files))
            if not oldest.recently_used:
                oldest.close()
                return True
            oldest.recently_used = False
            self._files.move_to_end(oldest)
        return False
