"""One shard of a purgatory: the watchers of the keys that fall into it, and their lock.

    hash(key) % 512 --> shard: { key a: Watchers, key b: Watchers }
                               `watch` appends and `remove_key_if_empty` removes under the lock, so
                               nobody is appended to watchers the map has just forgotten
The lock is never held while an operation is asked or completed: that may come back here. Looking a
key up is one atomic step of a dict and takes no lock.
"""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock
from typing import Generic

from .watchers import T, Watchers


class WatcherList(Generic[T]):
    """KAFKA-6431: many small locks instead of one that everybody waits for."""

    __slots__ = ("lock", "watchers_by_key")

    def __init__(self) -> None:
        self.watchers_by_key: dict[Hashable, Watchers[T]] = {}
        self.lock = Lock()

    def watch(self, key: Hashable, operation: T) -> None:
        """Put *operation* on *key*'s list, making it if needed."""
        with self.lock:
            watchers = self.watchers_by_key.get(key)
            if watchers is None:
                watchers = self.watchers_by_key[key] = Watchers()
            watchers.watch(operation)

    def remove_key_if_empty(self, key: Hashable, watchers: Watchers[T]) -> None:
        """Forget *key*, if it still has these watchers and nobody has joined them meanwhile."""
        with self.lock:
            if not watchers.operations and self.watchers_by_key.get(key) is watchers:
                del self.watchers_by_key[key]

    def cancel_for_key(self, key: Hashable) -> list[T]:
        """Forget *key*, and cancel the timers of those who wait on it."""
        with self.lock:
            watchers = self.watchers_by_key.pop(key, None)
            return [] if watchers is None else watchers.cancel()

    def all_watchers(self) -> list[tuple[Hashable, Watchers[T]]]:
        """Keys and watchers as they are now."""
        with self.lock:
            return list(self.watchers_by_key.items())
