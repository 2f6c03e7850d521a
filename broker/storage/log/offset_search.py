"""Look-ups of offsets by timestamp in a log (Kafka's ``UnifiedLog.fetchOffsetByTimestamp``).

As in Kafka, one segment is searched. If it is removed meanwhile, the look-up begins again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from broker.storage.log.unified_log import UnifiedLog
from broker.storage.segments.segment import LogSegment
from broker.storage.segments.timestamp_search import Examination, Search, TimestampAndOffset
from protocol.record_batch.header import NO_TIMESTAMP

# How many segments are checked at once: the largest timestamp of each is in a file.
SCANNED_MAX = 100

# The next examination; None if there is none.
Scans = Generator[None, TimestampAndOffset | None, Examination | None]


def search_by_timestamp(log: UnifiedLog, timestamp: int) -> Search:
    """Search for the first record whose timestamp is at least *timestamp*. Raises `ApiError`.

    Only in the first segment whose largest timestamp is late enough. That of a segment without
    timestamps is the modification time of its file.
    """
    for segment in _all_segments(log):
        if segment is None:
            yield None
            continue
        with log.storage_errors:
            is_late = segment.newest_ms() >= timestamp
        if is_late:
            found = yield from _search(log, segment, timestamp)
            if found is not None or log.segments.has(segment):
                return found
            return (yield from search_by_timestamp(log, timestamp))
    return None


def search_max_timestamp(log: UnifiedLog) -> Search:
    """Search for the first record with the largest timestamp (KIP-734). Raises `ApiError`.

    As in Kafka, it may be a deleted record of a segment that is not deleted yet, the timestamp may
    be -1, and none is found if compaction has removed the records of its batch.
    """
    largest, latest = NO_TIMESTAMP - 1, log.segments.first
    for segment in _all_segments(log):
        if segment is None:
            yield None
            continue
        with log.storage_errors:
            timestamp = segment.largest_timestamp()
        if timestamp > largest:
            largest, latest = timestamp, segment
    examination = yield from _next_examination(log, latest, largest, 0)
    if examination is not None:
        return (yield examination)
    if log.segments.has(latest):
        return None
    return (yield from search_max_timestamp(log))


def _all_segments(log: UnifiedLog) -> Iterator[LogSegment | None]:
    """The segments; and None after every `SCANNED_MAX`, during which the log may change."""
    offset = 0
    while True:
        for number, segment in enumerate(log.segments.from_offset(offset)):
            if number == SCANNED_MAX:
                offset = segment.base_offset
                break
            yield segment
        else:
            return
        yield None


def _search(log: UnifiedLog, segment: LogSegment, timestamp: int) -> Search:
    """Search among the records of *segment* that are not deleted."""
    offset = 0
    while True:
        offset = max(offset, log.log_start_offset)
        examination = yield from _next_examination(log, segment, timestamp, offset)
        if examination is None:
            return None
        found = yield examination
        if found is not None:
            return found
        offset = examination.header.next_offset


def _next_examination(log: UnifiedLog, segment: LogSegment, timestamp: int, offset: int) -> Scans:
    """The first batch of *segment* from *offset* on that may have the record."""
    while log.segments.has(segment):
        with log.storage_errors:
            scan = segment.scan_by_timestamp(timestamp, offset)
        if scan is None:
            break
        if scan.found is not None:
            header, batch = scan.found
            return Examination(header, batch, timestamp, offset)
        yield None
        offset = scan.next_offset
    return None
