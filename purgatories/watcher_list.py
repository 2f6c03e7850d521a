"""One shard of a purgatory: the watchers of the keys with its hash, and their lock.

    hash(key) % 512 --> shard: { key a: Watchers, key b: Watchers }
                               `watch` appends and `remove_key_if_empty` removes under the lock, so
                               no operation is appended to watchers that were just removed
The lock is not held while an operation is checked or completed, because that may call this shard
again. The lookup of a key is one atomic operation on a dict and takes no lock.
"""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock
from typing import Generic

from .watchers import T, Watchers


class WatcherList(Generic[T]):
    """KAFKA-6431: one lock for each shard instead of one contended lock."""

    __slots__ = ("lock", "watchers_by_key")

    def __init__(self) -> None:
        self.watchers_by_key: dict[Hashable, Watchers[T]] = {}
        self.lock = Lock()

    def watch(self, key: Hashable, operation: T) -> None:
        """Append *operation* to the list of *key*; creates the list if there is none."""
        # A fetch calls this for each of its partitions; `with` would take longer than the rest.
        lock = self.lock
        lock.acquire()
        try:
            watchers = self.watchers_by_key.get(key)
            if watchers is None:
                watchers = self.watchers_by_key[key] = Watchers()
            watchers.watch(operation)
        finally:
            lock.release()

    def watch_by_arrival(self, key: Hashable, operation: T) -> None:
        """`watch` that puts *operation* before those on the list that arrived later."""
        with self.lock:
            watchers = self.watchers_by_key.get(key)
            if watchers is None:
                watchers = self.watchers_by_key[key] = Watchers()
            watchers.watch_by_arrival(operation)

    def remove_key_if_empty(self, key: Hashable, watchers: Watchers[T]) -> None:
        """Remove *key* if its watchers are still *watchers* and these are empty."""
        with self.lock:
            if not watchers.operations and self.watchers_by_key.get(key) is watchers:
                del self.watchers_by_key[key]

    def cancel_for_key(self, key: Hashable) -> list[T]:
        """Remove *key*, and cancel the timer tasks of its operations; returns the operations."""
        with self.lock:
            watchers = self.watchers_by_key.pop(key, None)
            return [] if watchers is None else watchers.cancel()

    def all_watchers(self) -> list[tuple[Hashable, Watchers[T]]]:
        """Return a snapshot of the keys and their watchers."""
        with self.lock:
            return list(self.watchers_by_key.items())
