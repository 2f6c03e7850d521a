"""The offsets of the partitions in one data directory, in Kafka's four checkpoint files.

The entries of partitions that have not been opened are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from broker.common.topic_partition import TopicPartition
from broker.storage.files.checkpoints import (
    CorruptCheckpoint,
    offset_line,
    read_offset_checkpoint,
    write_offset_checkpoint,
)
from broker.storage.files.disk import Disk
from broker.storage.log.unified_log import UnifiedLog

logger = logging.getLogger(__name__)

HIGH_WATERMARKS = "replication-offset-checkpoint"
RECOVERY_POINTS = "recovery-point-offset-checkpoint"
LOG_STARTS = "log-start-offset-checkpoint"
COMPACTED = "cleaner-offset-checkpoint"


def _log_start(log: UnifiedLog) -> int | None:
    """None for the many logs that begin with their first segment; they need no entry."""
    start = log.log_start_offset
    return start if start > log.segments.first.base_offset else None


def _compacted_to(log: UnifiedLog) -> int | None:
    return log.first_dirty_offset if log.config.is_compacted else None


_OFFSET_OF: dict[str, Callable[[UnifiedLog], int | None]] = {
    HIGH_WATERMARKS: lambda log: log.high_watermark,
    RECOVERY_POINTS: lambda log: log.local_log.recovery_point,
    LOG_STARTS: _log_start,
    COMPACTED: _compacted_to,
}
CHECKPOINTS = tuple(_OFFSET_OF)


class _Entry(NamedTuple):
    """An offset and its line, which is made once: a file may have tens of thousands."""

    offset: int
    line: str


class CheckpointedOffsets:
    """The offsets by checkpoint file and partition; 0 for a partition without entry."""

    def __init__(self, path: Path, disk: Disk) -> None:
        self._path = path
        self._disk = disk
        self._entries: dict[str, dict[TopicPartition, _Entry]] = {name: {} for name in CHECKPOINTS}

    def read(self, partitions: Collection[TopicPartition]) -> None:
        """Read the entries of *partitions*; none if a file is damaged, as in Kafka.

        Without recovery points more batches are checked, without high watermarks reads wait for
        replication, without log start offsets deleted records are readable again.
        """
        for name, entries in self._entries.items():
            try:
                found = read_offset_checkpoint(self._path / name)
            except CorruptCheckpoint as error:
                logger.warning("%s; it is ignored", error)
                continue
            entries.update((key, _entry(key, found[key])) for key in partitions if key in found)

    def of(self, name: str, key: TopicPartition) -> int:
        """The partition's offset in the file *name*."""
        entry = self._entries[name].get(key)
        return 0 if entry is None else entry.offset

    def update(self, name: str, log: UnifiedLog) -> None:
        """Take the offset of *log* for the file *name*."""
        offset, entries, key = _OFFSET_OF[name](log), self._entries[name], log.topic_partition
        if offset is None:
            entries.pop(key, None)
        elif (entry := entries.get(key)) is None or entry.offset != offset:
            entries[key] = _entry(key, offset)

    def forget(self, key: TopicPartition) -> None:
        """Remove the entries of a deleted partition."""
        for entries in self._entries.values():
            entries.pop(key, None)

    def write(self, name: str, *, sync: bool) -> None:
        """Replace the file *name*, with *sync* forced to the disk. Raises OSError."""
        lines = [entry.line for entry in self._entries[name].values()]
        write_offset_checkpoint(self._disk, self._path / name, lines, sync=sync)


def _entry(key: TopicPartition, offset: int) -> _Entry:
    return _Entry(offset, offset_line(key, offset))
