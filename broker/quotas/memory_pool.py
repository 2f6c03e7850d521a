"""A bound on the memory of requests that have not come whole (Kafka's ``SimpleMemoryPool``).

Who has begun to send a request holds as much as it says it will be. While something is left anyone
may begin, also a request larger than that; when nothing is left, connections that hold nothing are
not read until others are done.
"""

from __future__ import annotations

import trio


class MemoryPool:
    """``size_bytes`` for all connections of a node."""

    def __init__(self, size_bytes: int) -> None:
        self.available_bytes = size_bytes
        self._freed = trio.Event()

    @property
    def is_exhausted(self) -> bool:
        """Whether nobody may begin."""
        return self.available_bytes <= 0

    async def freed(self) -> None:
        """Wait until somebody may begin; there may be others who do so first."""
        await self._freed.wait()

    def exchange(self, held_bytes: int, wanted_bytes: int) -> int:
        """Give *held_bytes* back and take *wanted_bytes*, which are returned."""
        was_exhausted = self.is_exhausted
        self.available_bytes += held_bytes - wanted_bytes
        if was_exhausted and not self.is_exhausted:
            self._freed.set()
            self._freed = trio.Event()
        return wanted_bytes


def memory_pool(size_bytes: int) -> MemoryPool | None:
    """A pool of that size; None, which is no bound, for 0 or less."""
    return MemoryPool(size_bytes) if size_bytes > 0 else None
