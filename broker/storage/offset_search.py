"""Look-ups of offsets by timestamp in a log (Kafka's ``UnifiedLog.fetchOffsetByTimestamp``)."""

from __future__ import annotations

from broker.storage.log_segments import SCANNED_MAX
from broker.storage.timestamp_search import Examination, Search
from broker.storage.unified_log import UnifiedLog
from protocol.record_batch.header import NO_TIMESTAMP


def search_by_timestamp(log: UnifiedLog, timestamp: int) -> Search:
    """Search for the first record whose timestamp is at least *timestamp*. Raises `ApiError`."""
    offset = log.log_start_offset
    while True:
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


def search_max_timestamp(log: UnifiedLog) -> Search:
    """Search for the first record with the largest timestamp (KIP-734). Raises `ApiError`."""
    largest = NO_TIMESTAMP
    for number, segment in enumerate(list(log.segments)):
        if number % SCANNED_MAX == SCANNED_MAX - 1:
            yield None
        if log.segments.has(segment):
            with log.storage_errors:
                largest = max(largest, segment.largest_timestamp())
    if largest == NO_TIMESTAMP:
        return None
    return (yield from search_by_timestamp(log, largest))
