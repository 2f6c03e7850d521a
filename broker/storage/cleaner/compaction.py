"""Compacts one log: only the latest record of each key is kept (Kafka's ``Cleaner``).

First a map is built of the keys in the part of the log that has not been compacted. Then all
segments up to the end of that part are written again without superseded records, and small segments
are merged. A tombstone is kept for ``delete.retention.ms`` after its first compaction, and so is
the marker of a transaction without remaining records. Records of aborted transactions are removed.
The last batch of each active producer and the last batch of all are kept, if necessary without
records; from the latter a follower learns the log end.

A compaction runs in steps. Worker threads process the records of about `STEP_BYTES`, or of one
larger batch, in each step; the event loop reads and writes files between the steps. Meanwhile the
log may be appended to, truncated, and lose its oldest segments. A truncation ends the compaction,
because it may have removed the record that supersedes others (Kafka's
``LogCleaner.abortAndPauseCleaning``), and so does a ``cleanup.policy`` without ``compact``
(``LogManager.updateTopicConfig``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from broker.storage.cleaner.cleaned_transactions import CleanedTransactions
from broker.storage.cleaner.offloadable_call import OffloadableCall
from broker.storage.cleaner.offset_map import KEYS_MAX, OffsetMap
from broker.storage.files.flusher import Flush
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.segments.segment import CLEANED, LogSegment
from protocol.record_batch.filter import filter_batch
from protocol.record_batch.header import INT32_MAX, BatchHeader, read_header
from protocol.record_batch.slices import RecordSlice, record_slices

STEP_BYTES = 64 * 1024

Batch = tuple[BatchHeader, memoryview]

# The remaining batches, and size, last offset and maximum timestamp of each.
Filtered = tuple[bytes, list[tuple[int, int, int]]]

# The call or flush that must end before the next step.
Step = OffloadableCall[bool] | OffloadableCall[Filtered] | Flush


class Compaction:
    """The compaction of *log*, whose offsets from *first_dirty* to *end* are not compacted."""

    def __init__(
        self, log: UnifiedLog, first_dirty: int, end: int, now_ms: int, *, keys_max: int = KEYS_MAX
    ) -> None:
        self.log = log
        self._first_dirty = first_dirty
        self._end = end
        self._now_ms = now_ms
        self._map = OffsetMap(keys_max)
        self._segments = [each for each in log.segments.inactive() if each[1] <= end]
        self._last_records = log.producer_state_manager.last_records()
        self._transactions = CleanedTransactions(log.aborted_transactions(0, end))
        self._mapped = CleanedTransactions(log.aborted_transactions(first_dirty, end))
        self._truncations = log.local_log.truncations
        self._in_use: Sequence[LogSegment] = ()
        self._cleaned: LogSegment | None = None

    def steps(self) -> Iterator[Step]:
        """Yield the steps; ends early if the log has changed so that it cannot be continued.

        Raises `CorruptRecords` and OSError.
        """
        for step in self._all_steps():
            yield step
            if self._is_outdated:
                break
        self.close()

    def close(self) -> None:
        """Remove the segment that has not replaced others, if there is one. Raises OSError."""
        cleaned, self._cleaned = self._cleaned, None
        if cleaned is not None:
            cleaned.remove()

    def _all_steps(self) -> Iterator[Step]:
        yield from self._map_keys()
        local, end = self.log.local_log, self._map.latest_offset + 1
        mapped = [each for each in self._remaining() if each[0].base_offset < end]
        for group in grouped(mapped, self.log.config):
            self._in_use = group
            if self._is_outdated:
                return
            self._cleaned = local.new_segment(group[0].base_offset, CLEANED)
            yield from self._rewrite(group, self._cleaned)
            self._replace(group)
            yield Flush(local.disk, [local.directory], 0)
        local.compacted_to = max(end, self._first_dirty)

    def _remaining(self) -> Iterator[tuple[LogSegment, int]]:
        """The segments to compact, without those that are deleted before they are reached."""
        return (each for each in self._segments if self.log.segments.has(each[0]))

    @property
    def _is_outdated(self) -> bool:
        """Whether the log was truncated, lost segments in use, or is no longer to be compacted."""
        local = self.log.local_log
        return (
            local.truncations != self._truncations
            or not local.has_all(self._in_use)
            or not local.config.is_compacted
        )

    def _replace(self, group: Sequence[LogSegment]) -> None:
        cleaned, self._cleaned, self._in_use = self._cleaned, None, ()
        assert cleaned is not None
        self.log.local_log.replace(group, cleaned)
        self.log.forget_positions()

    def _map_keys(self) -> Iterator[Step]:
        for segment, end in self._remaining():
            if end <= self._first_dirty:
                continue
            self._in_use = [segment]
            place = segment.locate(self._first_dirty)
            for batches, size in chunks(segment.batches(place[0]) if place else ()):
                mapped = OffloadableCall(partial(self._map_batches, batches), size)
                yield mapped
                if not mapped.result():
                    assert self._map.latest_offset >= self._first_dirty, "the map has keys"
                    return
            # The offsets between the last batch and the next segment have no records.
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
                filtering = OffloadableCall(partial(self._filter_batches, batches), size)
                yield filtering
                left, places = filtering.result()
                if places:
                    cleaned.append(memoryview(left), places)
        cleaned.become_inactive()
        cleaned.transactions.replace(self._transactions.kept)
        self._transactions.kept = []
        # Retention uses it if no record has a timestamp.
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
                places.append((new.size, new.last_offset, new.max_timestamp))
        return b"".join(left), places

    def _filtered(self, header: BatchHeader, batch: memoryview) -> memoryview | bytes | None:
        """The remaining batch; None if nothing remains."""
        horizon_ms = header.delete_horizon_ms
        is_over = horizon_ms is not None and horizon_ms <= self._now_ms
        may_go = False
        if header.is_control:
            may_go = self._transactions.marker_may_go(header, batch)
            keep = _none if may_go and is_over else _all
        elif self._transactions.is_aborted(header):
            keep = _none
        else:
            keep = partial(self._is_kept, is_over)
        last = self._last_records.get(header.producer_id)
        is_last = last is not None and last.is_in(header)
        return filter_batch(
            header,
            batch,
            keep,
            horizon_ms=self._now_ms + self.log.config.delete_retention_ms,
            needs_horizon=may_go,
            keep_empty=is_last or header.next_offset == self._end,
        )

    def _is_kept(self, tombstones_go: bool, record: RecordSlice) -> bool:
        if record.offset > self._map.latest_offset:
            return True
        if record.key is None:
            return False  # written before the topic was compacted
        is_latest = record.offset >= self._map.get(record.key)
        return is_latest and (record.has_value or not tombstones_go)


def chunks(
    batches: Iterable[tuple[int, BatchHeader, memoryview]],
) -> Iterator[tuple[list[Batch], int]]:
    """Yield *batches* in groups of at least `STEP_BYTES`, each with its size in bytes."""
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
    """Yield groups of adjacent segments that fit into one; each is given with its end offset.

    Kafka's ``Cleaner.groupSegmentsBySize``.
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
