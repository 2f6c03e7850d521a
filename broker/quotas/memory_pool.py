"""Limits the memory of requests that are not received completely (Kafka's ``SimpleMemoryPool``).

A connection holds the size of a request from its first bytes on. While memory is available, any
request may begin, even one larger than that. When none is available, connections without memory are
not read until others release theirs.
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
        """Whether no request may begin."""
        return self.available_bytes <= 0

    async def freed(self) -> None:
        """Wait until memory has been released; another waiter may take it first."""
        await self._freed.wait()

    def exchange(self, held_bytes: int, wanted_bytes: int) -> int:
        """Release *held_bytes* and take *wanted_bytes*, which are returned."""
        was_exhausted = self.is_exhausted
        self.available_bytes += held_bytes - wanted_bytes
        if was_exhausted and not self.is_exhausted:
            self._freed.set()
            self._freed = trio.Event()
        return wanted_bytes


def memory_pool(size_bytes: int) -> MemoryPool | None:
    """A pool of that size; None, which means no limit, for 0 or less."""
    return MemoryPool(size_bytes) if size_bytes > 0 else None
