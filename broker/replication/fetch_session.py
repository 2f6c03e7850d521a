"""Fetch sessions: a client names its partitions once, then only changes (KIP-227).

The cache is bounded. When it is full, a new session replaces one that has not been used for two
minutes, or else a less valuable one: a consumer's before a follower's, a smaller one before a
larger one. If no session may be evicted, the client gets session id 0 and sends full requests.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final

from broker.common.clock import Clock
from broker.replication.fetch_data import (
    FetchParams,
    FetchPartition,
    LogReadResult,
    PartitionName,
)
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.idle_partitions import IdlePartitions, is_known_empty_read
from protocol.lazy_dataclass import dataclass

NO_SESSION: Final = 0
INITIAL_EPOCH: Final = 0
FINAL_EPOCH: Final = -1
_EPOCH_MAX: Final = 2**31 - 1
_EVICTION_MS: Final = 120_000  # Kafka: a constant, EVICTION_MS in IncrementalFetchSessionCacheMs


def next_epoch(epoch: int) -> int:
    """The epoch after *epoch*; 1 follows the largest one, since 0 and -1 have special meanings."""
    return 1 if epoch >= _EPOCH_MAX else epoch + 1


@dataclass(slots=True)
class FetchSession:
    """The session of one client; partitions are in the order in which they are read.

    ``is_changing`` while a request changes it in slices. If the client disconnects meanwhile it
    remains so, and the session cannot be used any more. ``idle`` are its idle partitions; None if
    there has been none.
    """

    session_id: int
    privileged: bool
    uses_topic_ids: bool
    created_ms: float
    last_used_ms: float
    partitions: dict[PartitionName, FetchPartition] = field(default_factory=dict)
    epoch: int = 1  # the epoch that the next request must carry
    is_changing: bool = False
    is_closed: bool = False
    idle: IdlePartitions | None = None
    last_order: int = 0

    def __post_init__(self) -> None:
        for requested in self.partitions.values():
            self.last_order += 1
            requested.order = self.last_order

    def put(self, requested: FetchPartition) -> None:
        """Add a partition, or replace its parameters."""
        previous = self.partitions.get(requested.name)
        if previous is None:
            self.last_order += 1
            requested.order = self.last_order
        else:
            requested.continue_from(previous)
            if self.idle is not None:
                self.idle.remove(previous)
        self.partitions[requested.name] = requested
        if self.idle is not None:
            self.idle.add(requested)

    def remove(self, name: PartitionName) -> None:
        """Remove a partition, if the session has it."""
        removed = self.partitions.pop(name, None)
        if removed is not None and self.idle is not None:
            self.idle.remove(removed)

    def move_to_end(self, name: PartitionName) -> None:
        """Move the partition to the end of the order, since its records were sent."""
        self.partitions[name] = moved = self.partitions.pop(name)
        self.last_order += 1
        moved.order = self.last_order

    def active(self) -> list[FetchPartition]:
        """The partitions that the next fetch reads, in their order."""
        return list(self.partitions.values()) if self.idle is None else self.idle.active()

    @property
    def active_count(self) -> int:
        """How many these are."""
        return len(self.partitions) - (0 if self.idle is None else len(self.idle))

    def make_idle(
        self,
        hosted: HostedPartitions,
        revision: int,
        params: FetchParams,
        results: Sequence[tuple[FetchPartition, LogReadResult]],
    ) -> None:
        """Make partitions idle, whose *results* a fetch with *params* has sent."""
        if self.idle is None:
            for requested, result in results:
                if not self.is_closed and is_known_empty_read(requested, result):
                    self.idle = IdlePartitions(self.partitions, revision, params)
                    break
            else:
                return
        self.idle.make_idle(hosted, results)

    def close(self) -> None:
        """End the session: its partitions have no listener any more."""
        self.is_closed = True
        if self.idle is not None:
            self.idle.close()


class FetchSessionCache:
    """All sessions of a node, at most ``slots`` (max.incremental.fetch.session.cache.slots)."""

    def __init__(self, slots: int, clock: Clock) -> None:
        self._slots = slots
        self._clock = clock
        self._random = random.Random()  # noqa: S311 - ids need to be unused, not secret
        self._sessions: dict[int, FetchSession] = {}  # least recently used first

    def __len__(self) -> int:
        return len(self._sessions)

    def get(self, session_id: int) -> FetchSession | None:
        """The session; None if there is none."""
        return self._sessions.get(session_id)

    def touch(self, session: FetchSession) -> None:
        """Note that a fetch uses the session now."""
        session.last_used_ms = self._clock.now_ms()
        self._sessions[session.session_id] = self._sessions.pop(session.session_id)

    def remove(self, session_id: int) -> None:
        """Close a session, if it exists."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session.close()

    def remove_without(self, is_known: Callable[[FetchPartition], bool]) -> int:
        """Close the sessions of consumers that have no known partition; returns how many."""
        gone = [
            session.session_id
            for session in self._sessions.values()
            if not session.privileged and not any(map(is_known, session.partitions.values()))
        ]
        for session_id in gone:
            self.remove(session_id)
        return len(gone)

    def try_create(
        self,
        partitions: dict[PartitionName, FetchPartition],
        *,
        privileged: bool,
        uses_topic_ids: bool,
    ) -> FetchSession | None:
        """A new session with these partitions; None if the cache is full."""
        size = len(partitions)
        if len(self._sessions) >= self._slots and not self._try_evict(privileged, size):
            return None
        now = self._clock.now_ms()
        session_id = self._unused_id()
        session = FetchSession(session_id, privileged, uses_topic_ids, now, now, partitions)
        self._sessions[session_id] = session
        return session

    def _unused_id(self) -> int:
        while True:
            session_id = self._random.randint(1, _EPOCH_MAX)
            if session_id not in self._sessions:
                return session_id

    def _try_evict(self, privileged: bool, size: int) -> bool:
        """Make room for a session of *size* partitions; False if no session may be evicted.

        A session in use is replaced only by one that has more partitions or is of a follower.
        """
        if self._slots == 0:
            return False
        now = self._clock.now_ms()
        oldest = next(iter(self._sessions.values()))
        if now - oldest.last_used_ms > _EVICTION_MS:
            victim = oldest
        else:
            candidates = [
                session
                for session in self._sessions.values()
                if session.last_used_ms - session.created_ms > _EVICTION_MS
                or (privileged and not session.privileged)
            ]
            if not candidates:
                return False
            victim = min(candidates, key=_eviction_key)
            if _eviction_key(victim) >= (privileged, size):
                return False
        self.remove(victim.session_id)
        return True


def _eviction_key(session: FetchSession) -> tuple[bool, int]:
    return session.privileged, len(session.partitions)
