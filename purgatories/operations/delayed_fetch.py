"""A fetch that waits for ``min_bytes``, or for a condition that makes waiting pointless.

    for each partition, from the start found by the first read to the current readable end:

    start > end                      the log was truncated            F1  \
    start on an older segment        distance unknown, data exists    F2   > complete now
    leadership, epoch, diverging     the read returns the error      A-E,H /
    same segment                     end - start in bytes, at most max_bytes: added up;
                                     complete when the sum reaches min_bytes    G
The letters are those of Kafka's ``DelayedFetch``. The operation keeps no data: on completion all
partitions are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation

K = TypeVar("K", bound=Hashable)
K_contra = TypeVar("K_contra", bound=Hashable, contravariant=True)

UNKNOWN_OFFSET: Final = -1


class OffsetMetadata(Protocol):
    """An offset, the base offset of its segment, and its position in that segment in bytes.

    If the last two are -1, only the offset is known. If all three are -1, nothing is known.
    """

    @property
    def message_offset(self) -> int:
        """The offset itself."""
        ...

    @property
    def segment_base_offset(self) -> int:
        """The base offset of its segment, or -1."""
        ...

    @property
    def relative_position_in_segment(self) -> int:
        """The number of bytes before it in the segment, or -1."""
        ...


def bytes_between(start: OffsetMetadata, end: OffsetMetadata) -> int | None:
    """The bytes from *start* to *end*, or 0 if a position is unknown.

    None if the end is on a later segment: then there are bytes, and their number is unknown.
    """
    # Equal offsets may be on different segments: the log rolled and nothing was appended since.
    if start.message_offset >= end.message_offset:
        return 0
    start_segment, end_segment = start.segment_base_offset, end.segment_base_offset
    if -1 in (start_segment, end_segment):
        return 0
    if start_segment < end_segment:
        return None
    # If the start is on a newer segment, the log was truncated and has grown since.
    if start_segment > end_segment:
        return 0
    return end.relative_position_in_segment - start.relative_position_in_segment


class FetchSource(Protocol[K_contra]):
    """The logs, with the visibility rules of one fetch."""

    def end_offset(self, key: K_contra, current_leader_epoch: int) -> OffsetMetadata | None:
        """Return the end of the readable part of the log.

        The object from which the fetch starts, if nothing has been appended or truncated since.
        None if the partition cannot be read here (cases A to E); the read then returns the error.
        An epoch newer than the leader's may raise; the exception propagates to the checker.
        """
        ...

    def changed(self) -> Sequence[FetchPartitionStatus[Any]]:
        """The partitions without bytes that have changed since the last call."""
        ...

    def diverges(self, key: K_contra, last_fetched_epoch: int, fetch_offset: int) -> bool:
        """Whether the fetcher's log diverges before *fetch_offset* (KIP-595, case H)."""
        ...

    def is_throttled(self, key: K_contra, /) -> bool:
        """Whether a follower that is out of sync must wait for its quota."""
        ...


class FetchPartitionStatus(Generic[K]):
    """A partition of the fetch: its start and its request parameters.

    ``last_fetched_epoch`` and ``current_leader_epoch`` are -1 if absent.
    """

    __slots__ = ("current_leader_epoch", "key", "last_fetched_epoch", "max_bytes", "start")

    def __init__(
        self,
        key: K,
        start: OffsetMetadata,
        max_bytes: int,
        current_leader_epoch: int = -1,
        last_fetched_epoch: int = -1,
    ) -> None:
        self.key = key
        self.start = start
        self.max_bytes = max_bytes
        self.current_leader_epoch = current_leader_epoch
        self.last_fetched_epoch = last_fetched_epoch


class DelayedFetch(DelayedOperation, Generic[K]):
    """Completes after at most ``max_wait_ms``; checks the partitions in request order.

    *unread* are partitions in which no bytes were available without a read. They are checked when
    the source reports a change of them.
    """

    __slots__ = (
        "_fetcher_type",
        "_on_response",
        "_pointless",
        "_read",
        "_source",
        "_to_check",
        "_unread",
        "min_bytes",
    )

    def __init__(
        self,
        max_wait_ms: float,
        min_bytes: int,
        partitions: Sequence[FetchPartitionStatus[K]],
        source: FetchSource[K],
        on_response: Callable[[], object],
        fetcher_type: str = "consumer",
        unread: Sequence[FetchPartitionStatus[K]] = (),
    ) -> None:
        super().__init__(max_wait_ms)
        self.min_bytes = min_bytes
        self._read = self._to_check = partitions
        self._unread = unread
        self._pointless: FetchPartitionStatus[K] | None = None  # the partition that ends the wait
        self._source: FetchSource[K] | None = source
        self._on_response: Callable[[], object] | None = on_response
        self._fetcher_type = fetcher_type

    @property
    def partitions(self) -> Sequence[FetchPartitionStatus[K]]:
        """All partitions."""
        return [*self._read, *self._unread] if self._unread else self._read

    @property
    def has_one_key(self) -> bool:
        """Whether it was watched on one partition only, whose list drops it when it completes."""
        return len(self._read) == 1 and not self._unread

    def try_complete(self) -> bool:
        """Complete if enough bytes are available or waiting is pointless."""
        available = self.available_bytes()
        if available is None or available >= self.min_bytes:
            return self.force_complete()
        return False

    def available_bytes(self) -> int | None:
        """The number of bytes available for the fetch; None if waiting is pointless."""
        source = self._source
        assert source is not None, "the operation is not released"
        if self._unread and (changed := source.changed()):
            self._to_check = [*self._to_check, *changed]
        accumulated = 0
        for partition in self._to_check:
            if partition.start.message_offset != UNKNOWN_OFFSET:
                available = _available_bytes(partition, source)
                if available is None:
                    self._pointless = partition
                    return None
                accumulated += available
        return accumulated

    def newer_segment(self) -> int | None:
        """The base offset of the segment that ends the wait, because the fetch starts before it."""
        partition, source = self._pointless, self._source
        if partition is None or source is None:
            return None
        end = source.end_offset(partition.key, partition.current_leader_epoch)
        if end is None or bytes_between(partition.start, end) is not None:
            return None
        return end.segment_base_offset

    def throttled(self) -> list[K]:
        """The partitions whose bytes do not count because of a quota."""
        source = self._source
        assert source is not None, "the operation is not released"
        return [
            partition.key
            for partition in self._to_check
            if partition.start.message_offset != UNKNOWN_OFFSET
            and source.is_throttled(partition.key)
        ]

    def on_complete(self) -> None:
        """Call back, so that the caller reads again and responds."""
        assert self._on_response is not None, "the operation is completed once"
        self._on_response()

    def release(self) -> None:
        """See `DelayedOperation`; the partitions are dropped too."""
        super().release()
        self._read = self._to_check = self._unread = ()
        self._on_response = self._source = self._pointless = None

    def on_expiration(self) -> None:
        """Count one expiry, tagged as a follower's or a consumer's fetch."""
        self.mark_expired(self._fetcher_type)


def _available_bytes(partition: FetchPartitionStatus[K], source: FetchSource[K]) -> int | None:
    """The number of bytes available in *partition*; None ends the wait of the whole fetch."""
    start = partition.start
    end = source.end_offset(partition.key, partition.current_leader_epoch)
    if end is start:  # the same object: nothing was appended or truncated since the first read
        return 0
    if end is None:
        return None
    start_offset, end_offset = start.message_offset, end.message_offset
    if start_offset > end_offset:
        return None
    available = 0
    if start_offset < end_offset and not source.is_throttled(partition.key):
        distance = bytes_between(start, end)
        if distance is None:
            return None
        available = min(distance, partition.max_bytes)
    if partition.last_fetched_epoch != -1 and source.diverges(
        partition.key, partition.last_fetched_epoch, start_offset
    ):
        return None
    return available
