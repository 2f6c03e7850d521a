"""One compaction of one log: of each key only the latest record stays (Kafka's ``Cleaner``).

First the keys of the part that has not been compacted yet are put into a map, then all segments up
to there are written anew without what the map supersedes, small ones joined. A tombstone stays
until its time is over, which is ``delete.retention.ms`` after it was first met by a compaction.
Records of aborted transactions go; the markers that end transactions are left alone. Each active
producer's last batch stays, be it without records.

It is done in small steps, so that the loop can do other things between two of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from broker.storage.batch_filter import delete_horizon_ms, filter_batch
from broker.storage.batch_walk import indexed_timestamp
from broker.storage.flusher import Flush
from broker.storage.log import Log
from broker.storage.log_config import LogConfig
from broker.storage.offset_map import KEYS_MAX, OffsetMap
from broker.storage.record_slices import RecordSlice, record_slices
from broker.storage.segment import CLEANED, LogSegment
from broker.storage.transaction_index import AbortedTxn
from protocol.records import INT32_MAX, BatchHeader, read_header

# A piece of work: how many bytes it was, or what must be on the disk before the next one.
Step = int | Flush


class Compaction:
    """Of *log*: what lies between *first_dirty* and *end* has not been compacted yet."""

    def __init__(
        self, log: Log, first_dirty: int, end: int, now_ms: int, *, keys_max: int = KEYS_MAX
    ) -> None:
        self._log = log
        self._first_dirty = first_dirty
        self._now_ms = now_ms
        self._map = OffsetMap(keys_max)
        self._segments = [each for each in log.segments.inactive() if each[1] <= end]
        self._last_offsets = log.last_offsets_of_producers()
        self._aborted = log.aborted_transactions(log.log_start_offset, end)

    def steps(self) -> Iterator[Step]:
        """Do it, piece by piece; ends early if the segments have changed meanwhile.

        Raises `CorruptRecords`, OSError.
        """
        yield from self._map_keys()
        end = self._map.latest_offset + 1
        mapped = [each for each in self._segments if each[0].base_offset < end]
        for group in grouped(mapped, self._log.config):
            cleaned = self._log.new_segment(group[0].base_offset, CLEANED)
            yield from self._rewrite(group, cleaned)
            if not self._log.replace_segments(group, cleaned):
                cleaned.remove()
                return
        self._log.compacted_to(max(end, self._first_dirty))

    def _map_keys(self) -> Iterator[Step]:
        for segment, _ in self._segments:
            for _, header, batch in segment.batches():
                if header.last_offset < self._first_dirty:
                    continue
                if not (header.is_control or self._is_aborted(header)):
                    for record in record_slices(header, batch):
                        if record.key is None or record.offset < self._first_dirty:
                            continue
                        if not self._map.put(record.key, record.offset):
                            return
                self._map.latest_offset = header.last_offset
                yield header.size

    def _rewrite(self, group: Sequence[LogSegment], cleaned: LogSegment) -> Iterator[Step]:
        aborted: list[AbortedTxn] = []
        for segment in group:
            for _, header, batch in segment.batches():
                left = self._filtered(header, batch)
                if left is not None:
                    new = read_header(left)
                    place = (new.size, new.last_offset, indexed_timestamp(new))
                    cleaned.append(memoryview(left), [place])
                yield header.size
            if segment.has_transactions:
                aborted += segment.transactions.entries
        cleaned.become_inactive()
        cleaned.transactions.replace(aborted)
        yield Flush(cleaned.file.disk, cleaned.paths, 0)

    def _filtered(self, header: BatchHeader, batch: memoryview) -> memoryview | bytes | None:
        """What is left of a batch."""
        if header.is_control:
            return batch
        is_last = self._last_offsets.get(header.producer_id) == header.last_offset
        horizon_ms = delete_horizon_ms(header)
        tombstones_go = horizon_ms is not None and horizon_ms <= self._now_ms
        return filter_batch(
            header,
            batch,
            _none if self._is_aborted(header) else partial(self._stays, tombstones_go),
            horizon_ms=self._now_ms + self._log.config.delete_retention_ms,
            keep_empty=is_last,
        )

    def _stays(self, tombstones_go: bool, record: RecordSlice) -> bool:
        if record.offset > self._map.latest_offset:
            return True
        if record.key is None:
            return False  # from before the topic was compacted
        is_latest = record.offset >= self._map.get(record.key)
        return is_latest and (record.has_value or not tombstones_go)

    def _is_aborted(self, header: BatchHeader) -> bool:
        return header.is_transactional and any(
            each.producer_id == header.producer_id
            and each.first_offset <= header.base_offset <= each.last_offset
            for each in self._aborted
        )


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
