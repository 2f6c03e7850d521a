"""One compaction of one log: of each key only the latest record stays (Kafka's ``Cleaner``).

First the keys of the part that has not been compacted yet are put into a map, then all segments up
to there are written anew without what the map supersedes, small ones joined. A tombstone stays
until its time is over, which is ``delete.retention.ms`` after it was first met by a compaction; so
does the marker of a transaction that has nothing left. Records of aborted transactions go. Each
active producer's last batch stays, be it without records, and so does the last batch of all: it
tells who copies the log where it ends.

It is done in steps. Records are examined in worker threads, about `STEP_BYTES` in each step, or
one batch if that is larger; files are read and written between the steps, on the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from broker.storage.cleaned_transactions import CleanedTransactions
from broker.storage.computation import Computation
from broker.storage.file_batches import indexed_timestamp
from broker.storage.flusher import Flush
from broker.storage.log_config import LogConfig
from broker.storage.offset_map import KEYS_MAX, OffsetMap
from broker.storage.segment import CLEANED, LogSegment
from broker.storage.unified_log import UnifiedLog
from protocol.record_batch.filter import filter_batch
from protocol.record_batch.header import INT32_MAX, BatchHeader, read_header
from protocol.record_batch.slices import RecordSlice, record_slices

STEP_BYTES = 64 * 1024

Batch = tuple[BatchHeader, memoryview]

# What is left of batches, and of each its size, last offset and largest timestamp.
Filtered = tuple[bytes, list[tuple[int, int, int]]]

# What must be computed, or be on the disk, before the next step.
Step = Computation[bool] | Computation[Filtered] | Flush


class Compaction:
    """Of *log*: what lies between *first_dirty* and *end* has not been compacted yet."""

    def __init__(
        self, log: UnifiedLog, first_dirty: int, end: int, now_ms: int, *, keys_max: int = KEYS_MAX
    ) -> None:
        self._log = log
        self._first_dirty = first_dirty
        self._end = end
        self._now_ms = now_ms
        self._map = OffsetMap(keys_max)
        self._segments = [each for each in log.segments.inactive() if each[1] <= end]
        self._last_records = log.producer_state_manager.last_records()
        self._transactions = CleanedTransactions(log.aborted_transactions(0, end))
        self._mapped = CleanedTransactions(log.aborted_transactions(first_dirty, end))

    def steps(self) -> Iterator[Step]:
        """Do it, step by step; ends early if the segments have changed meanwhile.

        Raises `CorruptRecords`, OSError.
        """
        yield from self._map_keys()
        local, end = self._log.local_log, self._map.latest_offset + 1
        mapped = [each for each in self._segments if each[0].base_offset < end]
        for group in grouped(mapped, self._log.config):
            if not local.has_all(group):
                return
            cleaned = local.new_segment(group[0].base_offset, CLEANED)
            yield from self._rewrite(group, cleaned)
            if not local.has_all(group):
                cleaned.remove()
                return
            local.replace(group, cleaned)
            self._log.has_replaced_segments()
            yield Flush(local.disk, [local.directory], 0)
        local.compacted_to = max(end, self._first_dirty)

    def _map_keys(self) -> Iterator[Step]:
        for segment, end in self._segments:
            if end <= self._first_dirty or not self._log.segments.has(segment):
                continue
            place = segment.locate(self._first_dirty)
            for batches, size in chunks(segment.batches(place.position) if place else ()):
                mapped = Computation(partial(self._map_batches, batches), size)
                yield mapped
                if not mapped.result():
                    return
            # What lies between the last batch and the next segment has been compacted, too.
            self._map.latest_offset = end - 1

    def _map_batches(self, batches: Sequence[Batch]) -> bool:
        """Put the keys of batches into the map; False if it is full."""
        for header, batch in batches:
            if not self._map_batch(header, batch):
                return False
            self._map.latest_offset = header.last_offset
        return True

    def _map_batch(self, header: BatchHeader, batch: memoryview) -> bool:
        """Put the keys of a batch into the map; False if it is full."""
        if header.is_control:
            self._mapped.marker_may_go(header, batch)
            return True
        return self._mapped.is_aborted(header) or all(
            self._map.put(record.key, record.offset)
            for record in record_slices(header, batch)
            if record.key is not None and record.offset >= self._first_dirty
        )

    def _rewrite(self, group: Sequence[LogSegment], cleaned: LogSegment) -> Iterator[Step]:
        modified_ms = group[-1].file.modified_ms()
        for segment in group:
            for batches, size in chunks(segment.batches()):
                filtering = Computation(partial(self._filter_batches, batches), size)
                yield filtering
                left, places = filtering.result()
                if places:
                    cleaned.append(memoryview(left), places)
        cleaned.become_inactive()
        cleaned.transactions.replace(self._transactions.kept)
        self._transactions.kept = []
        # Retention goes by it where no record has a timestamp.
        cleaned.file.set_modified_ms(modified_ms)
        yield Flush(cleaned.file.disk, cleaned.paths, 0)

    def _filter_batches(self, batches: Sequence[Batch]) -> Filtered:
        left: list[memoryview | bytes] = []
        places = []
        for header, batch in batches:
            filtered = self._filtered(header, batch)
            if filtered is not None:
                new = read_header(filtered)
                left.append(filtered)
                places.append((new.size, new.last_offset, indexed_timestamp(new)))
        return b"".join(left), places

    def _filtered(self, header: BatchHeader, batch: memoryview) -> memoryview | bytes | None:
        """What is left of a batch."""
        horizon_ms = header.delete_horizon_ms
        is_over = horizon_ms is not None and horizon_ms <= self._now_ms
        may_go = False
        if header.is_control:
            may_go = self._transactions.marker_may_go(header, batch)
            keep = _none if may_go and is_over else _all
        elif self._transactions.is_aborted(header):
            keep = _none
        else:
            keep = partial(self._stays, is_over)
        last = self._last_records.get(header.producer_id)
        is_last = last is not None and last.is_in(header)
        return filter_batch(
            header,
            batch,
            keep,
            horizon_ms=self._now_ms + self._log.config.delete_retention_ms,
            needs_horizon=may_go,
            keep_empty=is_last or header.next_offset == self._end,
        )

    def _stays(self, tombstones_go: bool, record: RecordSlice) -> bool:
        if record.offset > self._map.latest_offset:
            return True
        if record.key is None:
            return False  # from before the topic was compacted
        is_latest = record.offset >= self._map.get(record.key)
        return is_latest and (record.has_value or not tombstones_go)


def chunks(
    batches: Iterable[tuple[int, BatchHeader, memoryview]],
) -> Iterator[tuple[list[Batch], int]]:
    """The *batches* of a segment, as many together as have `STEP_BYTES`, and their size."""
    chunk: list[Batch] = []
    size = 0
    for _, header, batch in batches:
        chunk.append((header, batch))
        size += header.size
        if size >= STEP_BYTES:
            yield chunk, size
            chunk, size = [], 0
    if chunk:
        yield chunk, size


def grouped(
    segments: Sequence[tuple[LogSegment, int]], config: LogConfig
) -> Iterator[list[LogSegment]]:
    """Neighbours that fit into one segment together, given each with the offset behind it.

    Kafka's ``groupSegmentsBySize``.
    """
    group: list[LogSegment] = []
    for segment, end in segments:
        more = [*group, segment]
        if group and (
            sum(each.size for each in more) > config.segment_bytes
            or sum(each.offset_index.size_bytes for each in more) > config.segment_index_bytes
            or sum(each.time_index.size_bytes for each in more) > config.segment_index_bytes
            or end - 1 - group[0].base_offset > INT32_MAX
        ):
            yield group
            group = []
        group.append(segment)
    if group:
        yield group


def _none(_record: RecordSlice) -> bool:
    return False


def _all(_record: RecordSlice) -> bool:
    return True
