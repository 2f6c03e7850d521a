"""A bound on the memory of requests received in part (Kafka's ``SimpleMemoryPool``).

A connection that has received the beginning of a request reserves the whole size of the request.
While any memory is left each connection may begin, also with a larger request. When none is left,
connections without a reservation receive nothing until others release theirs.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.common.do_nothing import do_nothing


class MemoryPool:
    """``size_bytes`` for all connections of a node.

    ``on_freed`` is called when memory is available again.
    """

    def __init__(self, size_bytes: int) -> None:
        self.available_bytes = size_bytes
        self.on_freed: Callable[[], object] = do_nothing

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing may be reserved."""
        return self.available_bytes <= 0

    def exchange(self, held_bytes: int, wanted_bytes: int) -> int:
        """Release *held_bytes* and reserve *wanted_bytes*, which is returned."""
        was_exhausted = self.is_exhausted
        self.available_bytes += held_bytes - wanted_bytes
        if was_exhausted and not self.is_exhausted:
            self.on_freed()
        return wanted_bytes


def memory_pool(size_bytes: int) -> MemoryPool | None:
    """A pool of that size; None, which is no bound, for 0 or less."""
    return MemoryPool(size_bytes) if size_bytes > 0 else None
