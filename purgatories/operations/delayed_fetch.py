"""A fetch that found too little, until there is enough, or a reason not to wait.

    for each partition, from the start found by the first read to the end visible now:

    start > end                      the log was truncated            F1  \
    start on an older segment        no distance, but surely data     F2   > complete now
    leadership, epoch, diverging     the read will tell              A-E,H /
    same segment                     end - start in bytes, at most max_bytes: added up;
                                     complete when the sum reaches min_bytes    G
The letters are those of Kafka's ``DelayedFetch``. Nothing read is kept: whoever answers reads all
partitions again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation

K = TypeVar("K", bound=Hashable)
K_contra = TypeVar("K_contra", bound=Hashable, contravariant=True)

UNKNOWN_OFFSET = -1


class OffsetMetadata(Protocol):
    """An offset and its place in the log: the segment's base offset, the bytes before it there.

    Both -1: only the offset is known. All three -1: nothing is.
    """

    @property
    def message_offset(self) -> int:
        """The offset itself."""
        ...

    @property
    def segment_base_offset(self) -> int:
        """The first offset of its segment, or -1."""
        ...

    @property
    def relative_position_in_segment(self) -> int:
        """How many bytes of the segment lie before it, or -1."""
        ...


class FetchSource(Protocol[K_contra]):
    """The logs as one fetch may see them."""

    def end_offset(self, key: K_contra, current_leader_epoch: int) -> OffsetMetadata | None:
        """Return the end of what may be read now.

        None: it cannot be read here at all (cases A to E); the read will say why. An epoch newer
        than the leader's own is the asker's error, and may raise: it ends up with who checked.
        """
        ...

    def diverges(self, key: K_contra, last_fetched_epoch: int, fetch_offset: int) -> bool:
        """Whether the asker's log parts from ours before *fetch_offset* (KIP-595, case H)."""
        ...

    def is_throttled(self, key: K_contra, /) -> bool:
        """Whether a follower that is out of sync must wait for its quota."""
        ...


class FetchPartitionStatus(Generic[K]):
    """A partition of the fetch: where it starts, and what it asks for.

    ``last_fetched_epoch`` -1: not given, as for ``current_leader_epoch``.
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
    """Answers once, after at most ``max_wait_ms``; partitions are looked at in request order."""

    __slots__ = ("_fetcher_type", "_on_response", "_source", "min_bytes", "partitions")

    def __init__(
        self,
        max_wait_ms: float,
        min_bytes: int,
        partitions: Sequence[FetchPartitionStatus[K]],
        source: FetchSource[K],
        on_response: Callable[[], object],
        fetcher_type: str = "consumer",
    ) -> None:
        super().__init__(max_wait_ms)
        self.min_bytes = min_bytes
        self.partitions = partitions
        self._source = source
        self._on_response = on_response
        self._fetcher_type = fetcher_type

    def try_complete(self) -> bool:
        """Add up what is there, or find out that waiting is of no use."""
        available = self.available_bytes()
        if available is None or available >= self.min_bytes:
            return self.force_complete()
        return False

    def available_bytes(self) -> int | None:
        """How many bytes there are for the fetch now; None: there is no sense in waiting."""
        accumulated = 0
        for partition in self.partitions:
            if partition.start.message_offset != UNKNOWN_OFFSET:
                available = self._available_bytes(partition)
                if available is None:
                    return None
                accumulated += available
        return accumulated

    def _available_bytes(self, partition: FetchPartitionStatus[K]) -> int | None:
        """How many bytes *partition* has for us; None ends the whole wait."""
        start = partition.start
        end = self._source.end_offset(partition.key, partition.current_leader_epoch)
        if end is None or start.message_offset > end.message_offset:
            return None
        available = 0
        # Equal offsets may lie on different segments: the log rolled and nothing came after.
        if (
            start.message_offset < end.message_offset
            and -1 not in (start.segment_base_offset, end.segment_base_offset)
            and not self._source.is_throttled(partition.key)
        ):
            if start.segment_base_offset < end.segment_base_offset:
                return None
            # A start on a newer segment is of a log that was truncated and has grown since.
            if start.segment_base_offset == end.segment_base_offset:
                distance = end.relative_position_in_segment - start.relative_position_in_segment
                available = min(distance, partition.max_bytes)
        if partition.last_fetched_epoch != -1 and self._source.diverges(
            partition.key, partition.last_fetched_epoch, start.message_offset
        ):
            return None
        return available

    def on_complete(self) -> None:
        """Have everything read again and answered."""
        self._on_response()

    def on_expiration(self) -> None:
        """Count one expiry, of a follower's or of a consumer's fetch."""
        self.mark_expired(self._fetcher_type)
