"""The segments of one log, and the end that they have (Kafka's ``LocalLog``).

It knows bytes and offsets; what the records mean to producers, epochs and the high watermark is
`broker.storage.log`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from broker.common.clock import Clock
from broker.storage.checkpoints import PARTITION_METADATA
from broker.storage.disk import Disk
from broker.storage.flusher import Flush, Flusher
from broker.storage.leader_epochs import FILE_NAME as LEADER_EPOCHS
from broker.storage.log_config import LogConfig
from broker.storage.log_segments import LogSegments
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.producer_snapshot import snapshot_path
from broker.storage.segment import DELETED, SWAP, LogSegment

# Does something after so many milliseconds.
Later = Callable[[int, Callable[[], None]], None]


def at_once(_delay_ms: int, action: Callable[[], None]) -> None:
    """Who has no timer does not wait."""
    action()


class LocalLog:
    """Invariant: ``end`` lies at the end of the active segment, and is the next offset."""

    __slots__ = (
        "_clock",
        "_end_at_rest",
        "_flusher",
        "_later",
        "active",
        "compacted_to",
        "config",
        "directory",
        "disk",
        "end",
        "flushed_ms",
        "recovery_point",
        "segments",
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
        flusher: Flusher | None = None,
        later: Later = at_once,
    ) -> None:
        self.directory = directory
        self.config = config
        self.disk = disk
        self.segments = segments
        self.active = segments.active
        # Offsets below it are known to be on the disk for good.
        self.recovery_point = recovery_point
        # Offsets below it have been compacted.
        self.compacted_to = 0
        self.flushed_ms = clock.now_ms()
        self._end_at_rest = -1
        self._clock = clock
        self._flusher = flusher or Flusher()
        self._later = later
        self._end_at(next_offset)

    def __str__(self) -> str:
        return self.directory.name

    def append(self, batches: memoryview, places: list[tuple[int, int, int]]) -> None:
        """Write *batches*, each with size, last offset and largest timestamp in *places*.

        Raises OSError; the log is as it was then.
        """
        segment = self.active
        segment.append(batches, places)
        self.end = LogOffsetMetadata(places[-1][1] + 1, segment.base_offset, segment.size)

    def roll(self, base_offset: int) -> bool:
        """Go on in a new segment; False if the active one begins there. Raises OSError."""
        old = self.active
        if base_offset == old.base_offset:
            return False
        old.become_inactive()
        self.segments.add(self.new_segment(base_offset))
        self._end_at(self.end.message_offset)
        return True

    def truncate_to(self, offset: int) -> None:
        """Cut off *offset* and all behind it."""
        self._delete(self.segments.drop_from(offset))
        self.segments.active.truncate_to(offset)
        self._end_at(offset)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Forget everything; the next record gets *offset*. Raises OSError.

        The newest segment goes first, so that a failure leaves a log that ends earlier and not one
        that begins later. Kafka removes the oldest first (``LocalLog.truncateFullyAndStartAt``).
        """
        self._delete(list(self.segments)[::-1])
        self.segments.replace_all(self.new_segment(offset))
        self._end_at(offset)

    def delete_first(self, count: int) -> None:
        """Remove the *count* oldest segments; one at least remains."""
        self._delete(self.segments.drop_first(count))

    def replace(self, old: Sequence[LogSegment], new: LogSegment) -> None:
        """Put *new*, whose files have another suffix, in the place of *old*. Raises OSError.

        A crash in between leaves either all of *old*, or a ``.swap`` that the next start puts in
        the place of those that are left. These are the last ones, since they go in order: so what
        a tombstone has deleted goes before the tombstone does, and does not come back.
        """
        new.rename_files(SWAP)
        self._delete(old[:1], with_snapshots=False)
        self._delete(old[1:])
        new.rename_files("")
        self.segments.replace(old, new)

    def _delete(self, segments: Sequence[LogSegment], *, with_snapshots: bool = True) -> None:
        """Take the files out of sight at once, and off the disk after ``file.delete.delay.ms``."""
        for segment in segments:
            segment.mark_deleted()
            removals = [segment.remove]
            if with_snapshots:
                snapshot = self.disk.file(snapshot_path(self.directory, segment.base_offset))
                snapshot.rename(snapshot.name + DELETED)
                removals.append(snapshot.remove)
            self._later(self.config.file_delete_delay_ms, partial(self._remove, removals))

    def _remove(self, removals: Sequence[Callable[[], None]]) -> None:
        try:
            for remove in removals:
                remove()
        except OSError as error:
            self.disk.fail(self.directory, error)

    # -------------------------------------------------------------------------------- flush

    @property
    def unflushed(self) -> int:
        """How many offsets are not known to be on the disk."""
        return self.end.message_offset - self.recovery_point

    def flush_later(self) -> None:
        """Make the disk have everything up to the end, beside the loop."""
        self._flusher.request(self)

    def flush(self) -> None:
        """Return when the disk has everything up to the end. Raises OSError."""
        flush = self.begin_flush()
        flush.run()
        self.flushed(flush)

    def begin_flush(self) -> Flush:
        """The files to sync; the indexes are brought up to date. Raises OSError."""
        paths = []
        if self.unflushed:
            for segment in self.segments.at_or_behind(self.recovery_point):
                segment.flush_indexes()
                paths += segment.paths
            paths += [self.directory / LEADER_EPOCHS, self.directory]
            if self.recovery_point <= self.segments.first.base_offset:
                # Perhaps nothing has been flushed since the folder was made.
                paths += [self.directory / PARTITION_METADATA, self.directory.parent]
        return Flush(self.disk, paths, self.end.message_offset)

    def flushed(self, flush: Flush) -> None:
        """The disk has what *flush* named."""
        self.recovery_point = max(self.recovery_point, flush.up_to)
        self.flushed_ms = self._clock.now_ms()

    def rest(self) -> None:
        """Hold less in memory, if nothing has been written since this was last asked."""
        if self._end_at_rest == self.end.message_offset:
            self.active.unload()
        self._end_at_rest = self.end.message_offset

    def close(self, *, sync: bool) -> None:
        """Bring the files up to date, with *sync* for good, and give the descriptors back."""
        for segment in self.segments:
            segment.close()
        if sync:
            self.flush()
        self.recovery_point = self.end.message_offset
        self.release()

    def release(self) -> None:
        """Give the descriptors back."""
        for segment in self.segments:
            segment.release()

    def rename(self, directory: Path) -> None:
        """Move the folder; only to be deleted there."""
        self.release()
        self.disk.rename(self.directory, directory)
        self.directory = directory

    def new_segment(self, base_offset: int, suffix: str = "") -> LogSegment:
        """An empty segment that is not yet one of the log's. Raises OSError."""
        now_ms = self._clock.wall_ms()
        return LogSegment.create(
            self.directory, base_offset, self.config, self.disk, now_ms, suffix
        )

    def _end_at(self, offset: int) -> None:
        active = self.active = self.segments.active
        self.end = LogOffsetMetadata(offset, active.base_offset, active.size)
        self.compacted_to = min(self.compacted_to, offset)
        self._flusher.cut(self, offset)
        if offset < self.recovery_point:
            self.recovery_point = offset
            self._flusher.on_recovery_point_lowered()
