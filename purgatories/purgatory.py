"""Holds delayed operations, indexed by the keys they wait on and by their expiration.

    try_complete_else_watch(op, keys)        check_and_complete(key)         advance_clock
       1 try_complete --> done?                      |                            |
       2 watch every key  -------> [ key: op, op ] --+--> op.safe_try_complete    |
       3 try_complete --> done?    [ key: op ]                                    |
       4 add to the timer -------> [ timing wheel ] ----------------------> op.run: expired
The second check runs after all keys are watched: it sees every earlier event, and a later event
finds the operation in its list. The number of checks does not depend on the number of keys.
An operation completed elsewhere stays in its lists until a check of the key or until
`purge_if_due` removes it; the estimate that triggers a purge is cheap and may be too high.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from itertools import count
from logging import DEBUG
from math import inf
from threading import Lock
from typing import Final, Generic, TypedDict

from .expiration_meter import ExpirationMeter
from .timer.system_timer import SystemTimer
from .timer.timer_task import TimerTask
from .watcher_list import WatcherList
from .watchers import T

log = logging.getLogger(__name__)

SHARDS: Final = 512  # Kafka: DelayedOperationPurgatory.SHARDS
PURGE_PAUSE_MS: Final = 200  # minimum time between two purges; the poll interval of Kafka's reaper
PURGE_SLICE: Final = 4096  # operations examined in one step of the reaper: well under 1 ms


class PurgatoryStatistics(TypedDict):
    """The counts of a purgatory; each comment names Kafka's metric."""

    name: str
    watched: int  # PurgatorySize: pairs of operation and key
    num_delayed: int  # NumDelayedOperations
    watched_keys: int
    estimated_total_operations: int
    purges: int
    expired: int  # ExpiresPerSec, as a count
    expired_by: dict[str, int]


class DelayedOperationPurgatory(Generic[T]):
    """A purgatory of operations of type *T*; keys are hashable."""

    def __init__(
        self, name: str, timer: SystemTimer, *, purge_interval: int = 1000, shards: int = SHARDS
    ) -> None:
        assert shards > 0
        self.name = name
        self.timer = timer
        self.on_error = timer.on_error
        self.expirations = ExpirationMeter()
        self._purge_interval = purge_interval
        self._shards: list[WatcherList[T]] = [WatcherList() for _ in range(shards)]
        self._arrivals = count(1)
        self._estimate_lock = Lock()
        self._estimated_total_operations = 0
        self._purges = 0
        self._purge_from_ms = -inf
        self._sweep: Iterator[WatcherList[T]] | None = None  # the shards still to be purged
        self._purge_tick = TimerTask(PURGE_PAUSE_MS)
        self._next_slice = TimerTask(0)

    # ------------------------------------------------------------------------------- waiting

    def try_complete_else_watch(self, operation: T, keys: Sequence[Hashable]) -> bool:
        """Complete *operation*, or make it wait on *keys* and on its timer.

        Returns True if this call completed it; False if it waits or another caller completed it.
        Raises ValueError if *keys* is empty. If anything raises (`try_complete`, the hash of a key)
        the operation is abandoned and the exception propagates to the caller. An operation that
        waits already restarts its delay and is also watched on *keys*; a completed one is
        unchanged.
        """
        if not keys:
            raise ValueError("an operation without keys could only expire")
        operation.expirations = self.expirations
        try:
            if operation.safe_try_complete_or_else(partial(self._watch, operation, keys)):
                return True
            if not operation.is_completed:
                self.timer.add(operation)
                if operation.is_completed:  # its cancel found no timer entry
                    operation.cancel()
        except BaseException:
            operation.abandon()
            raise
        return False

    def watch_also(self, operation: T, key: Hashable) -> None:
        """Make an operation that waits also wait on *key*, as if it had from the start.

        It precedes the operations on *key* that arrived later. For an operation with keys on which
        nothing has happened until now; the event is to be checked after this call. Kafka has no
        such method.
        """
        shards = self._shards
        shards[hash(key) % len(shards)].watch_by_arrival(key, operation)

    def _watch(self, operation: T, keys: Sequence[Hashable]) -> None:
        if not operation.arrival:
            operation.arrival = next(self._arrivals)
        shards = self._shards
        for key in keys:
            if operation.is_completed:  # by an event on an earlier key (KAFKA-18027)
                break
            shards[hash(key) % len(shards)].watch(key, operation)
        with self._estimate_lock:
            self._estimated_total_operations = estimate = self._estimated_total_operations + 1
        if estimate == self._purge_interval + 1:
            self.timer.add(self._purge_tick)

    def check_and_complete(self, key: Hashable, cause: object = None) -> int:
        """Check the operations that wait on *key*; returns how many this call completed.

        Completed operations get *cause* as their ``completed_by``. The caller must hold no lock
        that a `try_complete` or `on_complete` may acquire.
        """
        shards = self._shards
        shard = shards[hash(key) % len(shards)]
        watchers = shard.watchers_by_key.get(key)
        if watchers is None:
            return 0
        completed = watchers.try_complete_watched(cause, self.on_error)
        if completed and log.isEnabledFor(DEBUG):
            log.debug("%s: a check of %s unblocked %d operations", self.name, key, completed)
        if not watchers.operations:
            shard.remove_key_if_empty(key, watchers)
        return completed

    def waiting_on(self, key: Hashable) -> list[T]:
        """The operations that wait on *key*, in order of arrival, without completed ones."""
        shards = self._shards
        watchers = shards[hash(key) % len(shards)].watchers_by_key.get(key)
        return [] if watchers is None else watchers.waiting()

    def waiting(self) -> Iterator[tuple[Hashable, T]]:
        """Each key with each operation that waits on it."""
        for shard in self._used_shards():
            for key, watchers in shard.all_watchers():
                for operation in watchers.waiting():
                    yield key, operation

    def cancel_for_key(self, key: Hashable) -> list[T]:
        """Remove the operations that wait on *key* from its list and the timer, uncompleted."""
        return self._shards[hash(key) % len(self._shards)].cancel_for_key(key)

    # ------------------------------------------------------------------------------- purging

    def purge_if_due(self) -> None:
        """Purge if more than ``purge_interval`` operations seem to be completed but listed.

        The reaper calls it after each step, up to a thousand times a second. Unlike in Kafka,
        purges are at least 200 ms apart and a long purge takes several steps, because it would
        delay the operations that expire meanwhile. While the estimate exceeds ``purge_interval``, a
        timer task makes the reaper call it every 200 ms, as Kafka's does always: operations may be
        completed without any step of the timer. Otherwise an idle reaper sleeps.
        """
        if self._sweep is not None:
            self._purge()
        elif self._excess() > self._purge_interval and self.timer.now_ms() >= self._purge_from_ms:
            self._begin_purge()
            self._purge()
        if self._sweep is not None:
            self.timer.add(self._next_slice)  # another step, after all that is due
        elif (
            self._estimated_total_operations > self._purge_interval
            and not self._purge_tick.is_waiting
        ):
            self.timer.add(self._purge_tick)

    def _excess(self) -> int:
        return self._estimated_total_operations - self.num_delayed()

    def _begin_purge(self) -> None:
        with self._estimate_lock:
            self._estimated_total_operations = self.num_delayed()
            self._purges += 1
            self._sweep = iter(self._used_shards())

    def _purge(self) -> None:
        examined = 0
        for shard in self._sweep or ():
            for key, watchers in shard.all_watchers():
                examined += len(watchers.operations)
                watchers.purge_completed()
                if not watchers.operations:
                    shard.remove_key_if_empty(key, watchers)
            if examined > PURGE_SLICE:
                return
        self._sweep = None
        self._purge_from_ms = self.timer.now_ms() + PURGE_PAUSE_MS

    # ------------------------------------------------------------------------------- numbers

    def watched(self) -> int:
        """The number of pairs of operation and key, including completed operations."""
        return sum(
            len(watchers.operations)
            for shard in self._used_shards()
            for _, watchers in shard.all_watchers()
        )

    def _used_shards(self) -> list[WatcherList[T]]:
        return [shard for shard in self._shards if shard.watchers_by_key]

    def num_delayed(self) -> int:
        """The number of tasks in the timer, including tasks that are not of this purgatory."""
        return self.timer.size - self._purge_tick.is_waiting - self._next_slice.is_waiting

    def statistics(self) -> PurgatoryStatistics:
        """Return all counts in one record."""
        return PurgatoryStatistics(
            name=self.name,
            watched=self.watched(),
            num_delayed=self.num_delayed(),
            watched_keys=sum(len(shard.watchers_by_key) for shard in self._used_shards()),
            estimated_total_operations=self._estimated_total_operations,
            purges=self._purges,
            expired=self.expirations.total,
            expired_by={str(tag): n for tag, n in self.expirations.by_tag().items()},
        )

    def shutdown(self) -> None:
        """Close the timer; waiting operations are not completed and send no response."""
        self.timer.close()
