"""The segments of one log, its end and its recovery point (Kafka's ``LocalLog``).

It handles bytes and offsets; `broker.storage.log.unified_log` handles producers, leader epochs and
high watermark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from broker.common.clock import Clock
from broker.storage.files.checkpoints import PARTITION_METADATA
from broker.storage.files.disk import Disk
from broker.storage.files.flusher import Flush, Flusher
from broker.storage.log.leader_epoch_file_cache import FILE_NAME as LEADER_EPOCHS
from broker.storage.log_config import LogConfig
from broker.storage.producers.producer_snapshot import snapshot_path
from broker.storage.segments.log_segments import LogSegments
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from broker.storage.segments.read_cache import LastRead, ReadCache
from broker.storage.segments.segment import DELETED, SWAP, LogSegment
from purgatories.timer.timer_task import TimerTask

# Calls an action after a delay in milliseconds; returns the task that does, if there is one.
ScheduleOnce = Callable[[int, Callable[[], None]], TimerTask | None]
# Calls a deletion of files after a delay in milliseconds.
DeleteLater = Callable[[int, Callable[[], None]], None]


def without_delay(_delay_ms: int, action: Callable[[], None]) -> None:
    """Call *action* at once: for logs without a timer."""
    action()


class LocalLog:
    """The segments. Invariant: ``end`` is the next offset, at the end of the active segment."""

    __slots__ = (
        "_clock",
        "_delete_later",
        "_end_at_last_unload",
        "_flusher",
        "active",
        "cache",
        "compacted_to",
        "config",
        "directory",
        "disk",
        "end",
        "flushed_ms",
        "last_read",
        "recovery_point",
        "segments",
        "truncations",
    )

    def __init__(
        self,
        directory: Path,
        config: LogConfig,
        clock: Clock,
        disk: Disk,
        segments: LogSegments,
        next_offset: int,
        recovery_point: int,
        *,
        cache: ReadCache | None = None,
        flusher: Flusher | None = None,
        delete_later: DeleteLater = without_delay,
        compacted_to: int = 0,
    ) -> None:
        self.directory = directory
        self.config = config
        self.disk = disk
        self.segments = segments
        self.active = segments.active
        # The offset below which all records have been forced to the disk.
        self.recovery_point = recovery_point
        # The offset below which the log has been compacted.
        self.compacted_to = compacted_to
        # How often records have been removed from the end.
        self.truncations = 0
        self.flushed_ms = clock.now_ms()
        self.cache = cache or ReadCache()
        self.last_read = LastRead()
        self._end_at_last_unload = -1
        self._clock = clock
        self._flusher = flusher or Flusher()
        self._delete_later = delete_later
        self._end_at(next_offset)

    def __str__(self) -> str:
        return self.directory.name

    def append(self, batches: memoryview, places: list[tuple[int, int, int]]) -> None:
        """Write *batches*, each with size, last offset and maximum timestamp in *places*.

        Raises OSError; the log has not changed then.
        """
        if self._flusher.lowered:
            self._flusher.before_append(self)
        segment = self.active
        segment.append(batches, places)
        self.end = LogOffsetMetadata(places[-1][1] + 1, segment.base_offset, segment.size)

    def roll(self, base_offset: int) -> bool:
        """Make a new active segment; False if the active one begins there. Raises OSError."""
        old = self.active
        if base_offset == old.base_offset:
            return False
        old.become_inactive()
        self.segments.add(self.new_segment(base_offset))
        self._end_at(self.end.message_offset)
        return True

    def truncate_to(self, offset: int) -> None:
        """Remove all batches from *offset* on. Raises OSError."""
        self._begin_truncation()
        self._delete(self.segments.drop_from(offset))
        self.segments.active.truncate_to(offset)
        self._end_at(offset)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Remove all batches; the next record gets *offset*. Raises OSError.

        The newest segment is removed first, so that a failure leaves a log that ends earlier and
        not one that begins later. In Kafka the oldest segment is removed first
        (``LocalLog.truncateFullyAndStartAt``).
        """
        self._begin_truncation()
        self._delete(list(self.segments)[::-1])
        self.segments.replace_all(self.new_segment(offset))
        self._end_at(offset)

    def _begin_truncation(self) -> None:
        self.truncations += 1
        self.forget_last_read()

    def delete_first(self, count: int) -> None:
        """Remove the *count* oldest segments; at least one remains. Raises OSError."""
        self._delete(self.segments.drop_first(count))

    def first_dirty_offset(self, log_start_offset: int) -> int:
        """The offset below which the log has been compacted; at least *log_start_offset*."""
        if log_start_offset <= self.compacted_to <= self.end.message_offset:
            return self.compacted_to
        return log_start_offset

    def has_all(self, segments: Sequence[LogSegment]) -> bool:
        """Whether all of *segments* still belong to the log."""
        return all(self.segments.has(segment) for segment in segments)

    def replace(self, old: Sequence[LogSegment], new: LogSegment) -> None:
        """Replace *old*, which are inactive, by *new*, whose files have another suffix.

        A crash in between leaves either all of *old*, or a ``.swap`` file that replaces the rest of
        them at the next start. They are removed in order, so that the rest are the last ones: a
        record that a tombstone deletes is removed before the tombstone is. Raises OSError.
        """
        self.segments.replace(old, new)
        new.rename_files(SWAP)
        self._delete(old[:1], with_snapshots=False)
        self._delete(old[1:])
        new.rename_files("")
        self.forget_last_read()

    def _delete(self, segments: Sequence[LogSegment], *, with_snapshots: bool = True) -> None:
        """Rename the files now, and delete them after ``file.delete.delay.ms``."""
        for segment in segments:
            segment.mark_deleted()
            removals = [segment.remove]
            if with_snapshots:
                snapshot = self.disk.file(snapshot_path(self.directory, segment.base_offset))
                snapshot.rename(snapshot.name + DELETED)
                removals.append(snapshot.remove)
            self._delete_later(self.config.file_delete_delay_ms, partial(self._remove, removals))

    def _remove(self, removals: Sequence[Callable[[], None]]) -> None:
        try:
            for remove in removals:
                remove()
        except OSError as error:
            self.disk.fail(self.directory, error)

    # -------------------------------------------------------------------------------- flush

    @property
    def unflushed(self) -> int:
        """The number of offsets from the recovery point to the end."""
        return self.end.message_offset - self.recovery_point

    def flush_later(self) -> None:
        """Force everything up to the end to the disk in the background."""
        self._flusher.request(self)

    def flush_if_due(self) -> None:
        """Flush in the background if the last flush was ``flush.ms`` ago."""
        age_ms = self._clock.now_ms() - self.flushed_ms
        if self.unflushed and age_ms >= self.config.flush_ms:
            self.flush_later()

    def awaits_flush(self, offset: int) -> bool:
        """Whether *offset* is not yet flushed although ``flush.messages`` require it."""
        return self.recovery_point <= offset and self.unflushed >= self.config.flush_messages

    def flush(self) -> None:
        """Force everything up to the end to the disk. Raises OSError."""
        flush = self.begin_flush()
        flush.run()
        self.flushed(flush)

    def begin_flush(self) -> Flush:
        """Write the indexes to their files; returns the files to sync. Raises OSError."""
        paths = []
        if self.unflushed:
            for segment in self.segments.from_offset(self.recovery_point):
                segment.flush_indexes()
                paths += segment.paths
            paths += [self.directory / LEADER_EPOCHS, self.directory]
            if self.recovery_point <= self.segments.first.base_offset:
                # The directory itself may not have been flushed since it was made.
                paths += [self.directory / PARTITION_METADATA, self.directory.parent]
        return Flush(self.disk, paths, self.end.message_offset)

    def flushed(self, flush: Flush) -> None:
        """Advance the recovery point to the end of *flush*, whose files have been synced."""
        self.recovery_point = max(self.recovery_point, flush.up_to)
        self.flushed_ms = self._clock.now_ms()

    def unload_if_idle(self) -> None:
        """Release memory if nothing has been written since the last call. Raises OSError."""
        if self._end_at_last_unload == self.end.message_offset:
            self.active.unload()
        self._end_at_last_unload = self.end.message_offset

    def close(self, *, sync: bool) -> None:
        """Write everything to the files, with *sync* also to the disk, and close them.

        Raises OSError.
        """
        self.forget_last_read()
        for segment in self.segments:
            segment.close()
        if sync:
            self.flush()
        self.recovery_point = self.end.message_offset
        self.release()

    def release(self) -> None:
        """Close the files."""
        for segment in self.segments:
            segment.release()

    def rename(self, directory: Path) -> None:
        """Rename the directory, before it is deleted. Raises OSError.

        Responses that are being sent still read the files.
        """
        self.forget_last_read()
        self.release()
        self.disk.rename(self.directory, directory)
        self.directory = directory
        for segment in self.segments:
            segment.moved_to(directory)

    def new_segment(self, base_offset: int, suffix: str = "") -> LogSegment:
        """Make an empty segment that does not yet belong to the log. Raises OSError."""
        now_ms = self._clock.wall_ms()
        return LogSegment.create(
            self.directory, base_offset, self.config, self.disk, now_ms, suffix
        )

    def log_start_incremented(self, offset: int) -> None:
        """Advance the recovery point to *offset*, below which the records have been deleted."""
        self.recovery_point = max(self.recovery_point, offset)
        self.forget_last_read()

    def forget_last_read(self) -> None:
        """Drop the cached read, because the bytes of the log have changed or must be released."""
        self.cache.drop(self.last_read)

    def _end_at(self, offset: int) -> None:
        active = self.active = self.segments.active
        self.end = LogOffsetMetadata(offset, active.base_offset, active.size)
        self.compacted_to = min(self.compacted_to, offset)
        self._flusher.cut(self, offset)
        if offset < self.recovery_point:
            self.recovery_point = offset
            self._flusher.lowered.add(self)
