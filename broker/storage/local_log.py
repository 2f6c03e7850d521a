"""The segments of one log, and the end that they have (Kafka's ``LocalLog``).

It knows bytes and offsets; what the records mean to producers, epochs and the high watermark is
`broker.storage.log`'s business.
"""

from __future__ import annotations

from pathlib import Path

from broker.clock import Clock
from broker.storage.disk import Disk
from broker.storage.log_config import LogConfig
from broker.storage.log_segments import LogSegments
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.segment import LogSegment


class LocalLog:
    """Invariant: ``end`` lies at the end of the active segment, and is the next offset."""

    __slots__ = (
        "_clock",
        "active",
        "config",
        "directory",
        "disk",
        "end",
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
    ) -> None:
        self.directory = directory
        self.config = config
        self.disk = disk
        self.segments = segments
        self.active = segments.active
        # Offsets below it are known to be on the disk for good.
        self.recovery_point = recovery_point
        self._clock = clock
        self._end_at(next_offset)

    def should_roll(self, size: int, last_offset: int, max_timestamp: int, now_ms: int) -> bool:
        """Whether *size* more bytes belong into a new segment."""
        return self.active.should_roll(size, last_offset, max_timestamp, self.config, now_ms)

    def append(self, batches: memoryview, places: list[tuple[int, int, int]]) -> None:
        """Write *batches*, each with size, last offset and largest timestamp in *places*.

        Raises OSError; the log is as it was then.
        """
        segment = self.active
        segment.append(batches, places)
        self.end = LogOffsetMetadata(places[-1][1] + 1, segment.base_offset, segment.size)

    def roll(self) -> bool:
        """Go on in a new segment; False if the active one is new itself. Raises OSError."""
        old, offset = self.active, self.end.message_offset
        if offset == old.base_offset:
            return False
        old.become_inactive()
        self.segments.add(self._new_segment(offset))
        self._end_at(offset)
        return True

    def truncate_to(self, offset: int) -> None:
        """Cut off *offset* and all behind it."""
        for segment in self.segments.drop_from(offset):
            segment.remove()
        self.segments.active.truncate_to(offset)
        self._end_at(offset)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Forget everything; the next record gets *offset*."""
        for segment in self.segments:
            segment.remove()
        self.segments.replace_all(self._new_segment(offset))
        self._end_at(offset)

    def delete_first(self, count: int) -> list[int]:
        """Remove the *count* oldest segments, one at least remains; returns where they began."""
        dropped = self.segments.drop_first(count)
        for segment in dropped:
            segment.remove()
        return [segment.base_offset for segment in dropped]

    def flush(self) -> None:
        """Return when the disk has everything up to the end."""
        for segment in self.segments.at_or_behind(self.recovery_point):
            segment.flush()
        self.recovery_point = self.end.message_offset

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
        self.directory.rename(directory)
        self.directory = directory

    def _new_segment(self, base_offset: int) -> LogSegment:
        now_ms = self._clock.wall_ms()
        return LogSegment.create(self.directory, base_offset, self.config, self.disk, now_ms)

    def _end_at(self, offset: int) -> None:
        active = self.active = self.segments.active
        self.end = LogOffsetMetadata(offset, active.base_offset, active.size)
        self.recovery_point = min(self.recovery_point, offset)
