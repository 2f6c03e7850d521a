"""What becomes of a log without anybody's request: it rolls, is flushed, shrinks, and is closed.

Retention removes whole segments at its beginning, compaction puts others in their place; both leave
alone what is not replicated.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from broker.storage.local_log import LocalLog
from broker.storage.log_view import LogView, OffsetOutOfRange
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.producer_snapshot import snapshot_path, write_snapshot
from broker.storage.segment import LogSegment
from protocol.record_batch.header import BatchHeader

MANY = 1 << 62


class LastBatch(NamedTuple):
    """Of a producer: where its last batch ends, None if it only has a marker, and its epoch."""

    last_offset: int | None
    epoch: int

    def may_be(self, header: BatchHeader) -> bool:
        """Whether this is that batch; or a marker, if it has nothing else (``LastRecord``)."""
        if self.last_offset is None:
            return header.is_control and header.producer_epoch == self.epoch
        return header.last_offset == self.last_offset


class LogUpkeep(LogView):
    """A log as its node keeps it."""

    __slots__ = ()

    def roll(self, first_offset: int = 0) -> None:
        """Go on in a new segment; the producers up to here are put down in a snapshot.

        It begins at *first_offset* if that is behind the log end: a compacted leader has nothing in
        between, which may be more than a segment can span. What has been written so far is forced
        to the disk, beside the loop. Raises OSError.
        """
        base_offset = max(first_offset, self.log_end_offset)
        self._producers.map_end_offset = base_offset
        self._snapshot_producers()
        if self._local.roll(base_offset):
            self._local.flush_later()
            if self.high_watermark >= self.log_end_offset:
                self._high_watermark = self._local.end

    # ---------------------------------------------------------------------------- retention

    def maybe_increment_log_start_offset(self, offset: int) -> bool:
        """Delete the records below *offset*; raises `OffsetOutOfRange` above the high watermark."""
        if offset > self.high_watermark:
            raise OffsetOutOfRange(f"{offset} is above the high watermark {self.high_watermark}")
        if offset <= self.log_start_offset:
            return False
        self.log_start_offset = offset
        self._local.recovery_point = max(self.recovery_point, offset)
        self._cache.drop(self._last_read)
        with self.storage:
            self._epochs.truncate_from_start(offset)
        return True

    def delete_old_segments(self, most: int = MANY) -> int:
        """Remove whole segments that retention or the log start offset frees; returns how many.

        These are the oldest ones, and *most* at a time.
        """
        with self.storage:
            segments, end = self._local.segments, self.log_end_offset
            count, start = segments.deletable(
                self.config, self.log_start_offset, self.high_watermark, end, self._clock.wall_ms()
            )
            if not count:
                return 0
            if count > most:
                count, start = most, self.segment_base_offsets[most]
            elif count == len(segments):
                self.roll()
            self.maybe_increment_log_start_offset(start)
            self._local.delete_first(count)
        return count

    # --------------------------------------------------------------------------- compaction

    def last_batches_of_producers(self) -> dict[int, LastBatch]:
        """What must stay of each active producer."""
        return {
            producer_id: LastBatch(
                entry.batches[-1].last_offset if entry.batches else None, entry.epoch
            )
            for producer_id, entry in self._producers.producers.items()
        }

    def new_segment(self, base_offset: int, suffix: str) -> LogSegment:
        """An empty segment beside the log, with files of its own. Raises OSError."""
        return self._local.new_segment(base_offset, suffix)

    def has_segments(self, segments: Sequence[LogSegment]) -> bool:
        """Whether all of these are still the log's."""
        return all(self._local.segments.has(segment) for segment in segments)

    def replace_segments(self, old: Sequence[LogSegment], new: LogSegment) -> bool:
        """Put *new* in the place of *old*; False if they are not all there any more.

        Raises OSError.
        """
        if not self.has_segments(old):
            return False
        self._local.replace(old, new)
        self._cache.drop(self._last_read)
        self._high_watermark = LogOffsetMetadata(self._high_watermark.message_offset)
        return True

    def compacted_to(self, offset: int) -> None:
        """What lies below *offset* has been compacted."""
        self._local.compacted_to = offset

    # -------------------------------------------------------------------------- flush, ends

    @property
    def flushable(self) -> LocalLog:
        """The log as its flusher knows it."""
        return self._local

    def flush(self) -> None:
        """Return when the disk has everything up to the log end."""
        with self.storage:
            self._local.flush()

    def awaits_flush(self, offset: int) -> bool:
        """Whether *offset* is not yet safe, though ``flush.messages`` records have been written."""
        local = self._local
        return local.recovery_point <= offset and local.unflushed >= local.config.flush_messages

    def flush_if_due(self) -> None:
        """Have it forced to the disk, beside the loop, if ``flush.ms`` is over."""
        age_ms = self._clock.now_ms() - self._local.flushed_ms
        if self._local.unflushed and age_ms >= self.config.flush_ms:
            self._local.flush_later()

    def forget_producers(self) -> None:
        """Forget producers that have been silent for ``producer.id.expiration.ms``."""
        self._producers.remove_expired(self._clock.wall_ms())

    def rest(self) -> None:
        """Hold less in memory, if nothing has been written since this was last asked."""
        with self.storage:
            self._local.rest()

    def close(self, *, sync: bool = True) -> None:
        """Leave the files as a clean shutdown leaves them; with *sync*, on the disk for good.

        Raises OSError.
        """
        self._snapshot_producers()
        self._local.close(sync=sync)
        self._cache.drop(self._last_read)

    def rename(self, directory: Path) -> None:
        """Move the folder, only to be deleted there. Raises OSError."""
        self._local.rename(directory)
        self._cache.drop(self._last_read)

    def _snapshot_producers(self) -> None:
        """Of a log that never had a record there is nothing to tell."""
        offset = self._producers.map_end_offset
        path = snapshot_path(self.directory, offset)
        if offset > self._local.segments.first.base_offset and not path.exists():
            write_snapshot(self._local.disk, path, self._producers.producers.values())
