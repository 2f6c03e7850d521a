"""A fetch of a share group that waits for records that its member can acquire (KIP-932).

    all partitions are read to their ends      --> wait
    for each partition: take its fetch lock, if no other fetch has it and there are records to
    deliver again, or room for new ones        --> the locked partitions
    their bytes, of each at most its part of
    max_bytes, add up to min_bytes             --> complete, with the locks
    otherwise                                  --> release the locks and wait

The operation keeps no data: on completion the locked partitions are read, their records acquired,
and the locks released. It may leave records, so the fetches that wait for the same partitions are
checked afterwards, by queued actions. Kafka's ``DelayedShareFetch``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from ..action_queue import ActionQueue
from ..delayed_operation import DelayedOperation

P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)


class ShareFetchSource(Protocol[P_contra]):
    """The partitions of one fetch of a member."""

    def is_at_end(self) -> bool:
        """Whether each partition has 0 available bytes."""
        ...

    def try_lock(self, partition: P_contra, owner: object, /) -> bool:
        """Take the fetch lock of a partition that has records to acquire; False if impossible."""
        ...

    def unlock(self, partition: P_contra, owner: object, /) -> None:
        """Release the fetch lock."""
        ...

    def available_bytes(self, partition: P_contra, /) -> int | None:
        """The bytes that can be read; None if waiting for more is pointless."""
        ...

    def begin_check(self, locked: Sequence[P_contra], /) -> Sequence[int]:
        """The most bytes that are read of each locked partition; called before their bytes are."""
        ...

    def check_waiting(self, partition: P_contra, /) -> None:
        """Check the fetches that wait for records of a partition that was read."""
        ...


class DelayedShareFetch(DelayedOperation, Generic[P]):
    """Completes after at most ``max_wait_ms``; *on_response* gets the locked partitions.

    *actions* gets the checks of other fetches. It is drained after an expiry, when no request
    handler does so.
    """

    __slots__ = ("_actions", "_on_response", "_source", "locked", "min_bytes", "partitions")

    def __init__(
        self,
        max_wait_ms: float,
        min_bytes: int,
        partitions: Sequence[P],
        source: ShareFetchSource[P],
        on_response: Callable[[Sequence[P]], object],
        actions: ActionQueue,
    ) -> None:
        super().__init__(max_wait_ms)
        self.min_bytes = min_bytes
        self.partitions = partitions
        self.locked: list[P] = []
        self._source = source
        self._on_response: Callable[[Sequence[P]], object] | None = on_response
        self._actions = actions

    def try_complete(self) -> bool:
        """Complete if the partitions that can be locked have enough bytes.

        The common case is first: most events complete none of the fetches.
        """
        if self.min_bytes > 0 and self._source.is_at_end():
            return False
        self._lock()
        try:
            if self.locked and self._has_enough():
                return self.force_complete()
        finally:
            self._unlock()
        return False

    def available_bytes(self) -> int:
        """The bytes that could be read now, also those that no member can acquire."""
        return sum(self._source.available_bytes(each) or 0 for each in self.partitions)

    def _has_enough(self) -> bool:
        accumulated = 0
        limits = self._source.begin_check(self.locked)
        for partition, limit in zip(self.locked, limits, strict=True):
            available = self._source.available_bytes(partition)
            if available is None:
                return True
            accumulated += min(available, limit)
        return accumulated >= self.min_bytes

    def _lock(self) -> None:
        assert not self.locked
        self.locked = [each for each in self.partitions if self._source.try_lock(each, self)]

    def _unlock(self) -> None:
        locked, self.locked = self.locked, []
        for partition in locked:
            self._source.unlock(partition, self)

    def on_complete(self) -> None:
        """Acquire from the locked partitions; at the timeout from all that can be locked."""
        if not self.locked:
            self._lock()
        assert self._on_response is not None, "the operation is completed once"
        try:
            self._on_response(self.locked)
        finally:
            for partition in self.locked:
                self._actions.add(self._source.check_waiting, partition)
            self._unlock()

    def release(self) -> None:
        """See `DelayedOperation`; the callback is dropped too."""
        super().release()
        self._on_response = None

    def on_expiration(self) -> None:
        """Count one expiry."""
        self.mark_expired()
        self._actions.try_complete_actions()
