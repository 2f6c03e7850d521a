"""One fetch of a member: which of its partitions can be acquired, and what it gets from them.

The bytes of the fetch are divided equally between the partitions that it has locked; its
``max_records`` are a limit of all of them together (Kafka's strategy ``uniform``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from broker.common.errors import ApiError
from broker.replication.fetch_data import FetchIsolation, FetchParams, FetchPartition, LogReadResult
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.log_reader import read_from_log
from broker.share.acquisition import AcquiredRecords, AcquireMode
from broker.share.fetched_batches import aborted_ranges, fetched_batches, part_with
from broker.share.share_partition import SharePartition
from broker.share.share_partition_key import SharePartitionKey
from broker.storage.files.storage_errors import OffsetOutOfRange
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.output import Splice
from purgatories.operations.delayed_fetch import bytes_between

_CONSUMER: Final = -1  # the replica id
_NO_BYTES: Final = ErrorCode.UNKNOWN_SERVER_ERROR  # of a negative limit, as in Kafka


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareFetchParams:
    """The parameters of a whole ShareFetch; ``max_bytes`` is limited by the broker already."""

    group_id: str
    member_id: str
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    max_records: int
    batch_size: int
    mode: AcquireMode
    isolation: FetchIsolation


@dataclass(slots=True)
class ShareFetchResult:
    """What a fetch gets from one partition; ``records`` are whole batches."""

    error: ErrorCode = ErrorCode.NONE
    records: Splice = b""
    acquired: Sequence[AcquiredRecords] = ()


ShareFetchResults = dict[SharePartitionKey, ShareFetchResult]


class ShareFetch:
    """The source of a `DelayedShareFetch`. ``errors`` are those of partitions without records.

    ``before_acquiring`` is called before records are acquired; it may be set at any time.

    *check_waiting* is called after the completion with each partition that was locked.
    """

    def __init__(
        self,
        hosted: HostedPartitions,
        params: ShareFetchParams,
        check_waiting: Callable[[SharePartition], None],
    ) -> None:
        self.params = params
        self.partitions: list[SharePartition] = []
        self.errors: dict[SharePartitionKey, ErrorCode] = {}
        self.before_acquiring: Callable[[], object] | None = None
        self._hosted = hosted
        # The locked partitions of which no check has found the position before this one.
        self._unknown: set[SharePartition] = set()
        self._check_waiting = check_waiting

    # ------------------------------------------------------------------------------ waiting

    def condition(self, min_bytes: int) -> object:
        """All that its completion depends on; the fetches of a group mostly have the same.

        ``max_bytes`` is not part of it for one partition: *min_bytes* is not larger.
        """
        params, partitions = self.params, self.partitions
        common = min_bytes, params.max_records < 0, params.isolation
        if len(partitions) == 1:
            return partitions[0], common
        return frozenset(partitions), params.max_bytes, common

    def is_at_end(self) -> bool:
        """See `ShareFetchSource`."""
        for share_partition in self.partitions:
            end = self._end(share_partition)
            if end is None or end.message_offset != share_partition.records.next_fetch_offset():
                return False
            share_partition.position = end
        return True

    def try_lock(self, share_partition: SharePartition, owner: object) -> bool:
        """See `ShareFetchSource`."""
        if share_partition.fetch_owner not in (None, owner):
            return False
        if not share_partition.can_acquire():
            return False
        share_partition.fetch_owner = owner
        return True

    def unlock(self, share_partition: SharePartition, owner: object) -> None:
        """See `ShareFetchSource`."""
        if share_partition.fetch_owner is owner:
            share_partition.fetch_owner = None
            self._unknown.discard(share_partition)

    def begin_check(self, locked: Sequence[SharePartition]) -> Sequence[int]:
        """See `ShareFetchSource`; no bytes for a negative limit, with which the fetch fails."""
        for each in locked:
            if each.position.message_offset != each.records.next_fetch_offset():
                self._unknown.add(each)
        return _divided(max(0, self.params.max_bytes), len(locked))

    def check_waiting(self, share_partition: SharePartition) -> None:
        """See `ShareFetchSource`."""
        self._check_waiting(share_partition)

    def available_bytes(self, share_partition: SharePartition) -> int | None:
        """See `ShareFetchSource`; 0 for a negative limit of records, which is never reached."""
        if self.params.max_records < 0:
            return 0
        end = self._end(share_partition)
        if end is None:
            return None
        offset = share_partition.records.next_fetch_offset()
        if offset == end.message_offset:
            return 0
        if offset > end.message_offset:
            return None
        start = share_partition.position
        if start.message_offset != offset:
            try:
                log = self._hosted[share_partition.name].log
                start = share_partition.position = log.offset_metadata(offset)
            except (OffsetOutOfRange, ApiError):
                return None
        distance: int | None = bytes_between(start, end)
        return distance if distance is None else min(distance, self.params.max_bytes)

    def _end(self, share_partition: SharePartition) -> LogOffsetMetadata | None:
        """The end of what can be read; None on another node."""
        partition = self._hosted.get(share_partition.name)
        if partition is None or partition.leader_state is None:
            return None
        return self.params.isolation.upper_bound(partition.log)

    # ------------------------------------------------------------------------------ reading

    def acquire(self, locked: Sequence[SharePartition]) -> ShareFetchResults:
        """Read and acquire from the partitions whose locks the fetch has; adds the errors.

        As in Kafka there are two reads, each with ``max_bytes``, if the positions of some
        partitions were found by an earlier check; those are first.
        """
        if self.before_acquiring is not None:
            self.before_acquiring()
        results = {key: ShareFetchResult(error) for key, error in self.errors.items()}
        params = self.params
        if params.max_bytes < 0:
            return results | {each.key: ShareFetchResult(_NO_BYTES) for each in locked}
        if not locked:
            return results
        part, remainder = _shared(params.max_bytes, len(locked))
        read: list[tuple[SharePartition, int, LogReadResult]] = []
        for is_unknown in (False, True):
            group = [each for each in locked if (each in self._unknown) is is_unknown]
            read += self._read(group, part, remainder)
        remaining = params.max_records
        for share_partition, offset, result in read:
            taken = self._acquire(share_partition, offset, result, remaining)
            remaining -= sum(each.last - each.first + 1 for each in taken.acquired)
            results[share_partition.key] = taken
        return results

    def _read(
        self, group: Sequence[SharePartition], max_bytes: int, remainder: int
    ) -> list[tuple[SharePartition, int, LogReadResult]]:
        """Each partition with the offset and the result of its read."""
        params = self.params
        if not group:
            return []
        wanted = [_wanted(each, max_bytes) for each in group]
        wanted[0] = _wanted(group[0], max_bytes + remainder)
        read = FetchParams(
            _CONSUMER,
            params.max_wait_ms,
            params.min_bytes,
            params.max_bytes,
            params.isolation,
            leader_only=True,
        )
        found = read_from_log(self._hosted, read, wanted)
        return [
            (share_partition, requested.fetch_offset, result)
            for share_partition, requested, result in zip(group, wanted, found, strict=True)
        ]

    def _acquire(
        self, share_partition: SharePartition, offset: int, result: LogReadResult, max_records: int
    ) -> ShareFetchResult:
        params = self.params
        if result.error is ErrorCode.OFFSET_OUT_OF_RANGE:
            share_partition.log_start_moved(self._hosted[share_partition.name].log.log_start_offset)
            return ShareFetchResult()
        if result.error:
            return ShareFetchResult(result.error)
        records = result.records
        if max_records <= 0:
            return ShareFetchResult()
        furthest = max(offset, share_partition.records.end_offset + 1) + max_records
        batches = fetched_batches(records, furthest)
        acquired = share_partition.acquire(
            params.member_id,
            offset,
            batches,
            max_records,
            params.batch_size,
            params.mode,
            aborted_ranges(records, batches, result.aborted) if result.aborted else (),
        )
        if not acquired:
            return ShareFetchResult()
        part = part_with(records, batches, acquired[0].first, acquired[-1].last)
        return ShareFetchResult(records=part, acquired=acquired)


def _wanted(share_partition: SharePartition, max_bytes: int) -> FetchPartition:
    offset = share_partition.records.next_fetch_offset()
    return FetchPartition(share_partition.name, share_partition.key.topic_id, offset, max_bytes)


def _divided(max_bytes: int, count: int) -> list[int]:
    """Equal parts; the first one has the remainder."""
    part, remainder = _shared(max_bytes, count)
    return [part + remainder, *[part] * (count - 1)]


def _shared(max_bytes: int, count: int) -> tuple[int, int]:
    """The part of each of *count* partitions, at least one byte, and the remainder."""
    if max_bytes < count:
        return min(1, max_bytes), 0
    return divmod(max_bytes, count)
