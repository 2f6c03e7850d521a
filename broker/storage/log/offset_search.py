"""Look-ups of offsets by timestamp in a log (Kafka's ``UnifiedLog.fetchOffsetByTimestamp``)."""

from __future__ import annotations

from broker.storage.log.unified_log import UnifiedLog
from broker.storage.segments.log_segments import SCANNED_MAX
from broker.storage.segments.timestamp_search import Examination, Search
from protocol.record_batch.header import NO_TIMESTAMP


def search_by_timestamp(log: UnifiedLog, timestamp: int) -> Search:
    """Search for the first record whose timestamp is at least *timestamp*. Raises `ApiError`."""
    return (yield from _search(log, timestamp, None))


def search_max_timestamp(log: UnifiedLog) -> Search:
    """Search for the first record with the largest timestamp (KIP-734). Raises `ApiError`.

    As in Kafka, it may be a deleted record of a segment that is not deleted yet.
    """
    largest, first = NO_TIMESTAMP, 0
    for number, segment in enumerate(list(log.segments)):
        if number % SCANNED_MAX == SCANNED_MAX - 1:
            yield None
        if log.segments.has(segment):
            with log.storage_errors:
                timestamp = segment.largest_timestamp()
            if timestamp > largest:
                largest, first = timestamp, segment.base_offset
    if largest == NO_TIMESTAMP:
        return None
    return (yield from _search(log, largest, first))


def _search(log: UnifiedLog, timestamp: int, first: int | None) -> Search:
    """Search from the offset *first* on, or among the records that are not deleted."""
    offset = log.log_start_offset if first is None else first
    while True:
        if first is None:
            offset = max(offset, log.log_start_offset)
        with log.storage_errors:
            scan = log.segments.scan_by_timestamp(timestamp, offset)
            if scan is None:
                return None
            if scan.found is None:
                yield None
            else:
                header, batch = scan.found
                found = yield Examination(header, batch, timestamp, offset)
                if found is not None:
                    return found
        offset = scan.next_offset
