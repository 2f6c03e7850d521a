"""The offsets of all logs in Kafka's four checkpoint files.

The entries of partitions that have not been opened are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from broker.common.topic_partition import TopicPartition
from broker.storage.log_directory import (
    COMPACTED,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    LogDirectory,
)
from broker.storage.unified_log import UnifiedLog


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


class CheckpointedOffsets:
    """The offsets by checkpoint file and partition; 0 for a partition without entry."""

    def __init__(self) -> None:
        self._offsets: dict[str, dict[TopicPartition, int]] = {name: {} for name in CHECKPOINTS}

    def of(self, name: str, key: TopicPartition) -> int:
        """The partition's offset in the file *name*."""
        return self._offsets[name].get(key, 0)

    def read(self, directory: LogDirectory) -> None:
        """Add the entries in the files of a directory."""
        for name, offsets in self._offsets.items():
            offsets.update(directory.read(name))

    def forget(self, key: TopicPartition) -> None:
        """Remove the entries of a deleted partition."""
        for offsets in self._offsets.values():
            offsets.pop(key, None)

    def update(self, name: str, logs: Mapping[TopicPartition, UnifiedLog]) -> None:
        """Take the offsets for the file *name* from *logs*."""
        offsets, offset_of = self._offsets[name], _OFFSET_OF[name]
        for key, log in logs.items():
            offset = offset_of(log)
            if offset is None:
                offsets.pop(key, None)
            else:
                offsets[key] = offset

    def write(self, name: str, directory: LogDirectory, *, sync: bool) -> None:
        """Replace the file *name* of a directory. Raises OSError."""
        mine = directory.partitions
        # In the order of the offsets, most of which is that of the file: they are sorted in a tenth
        # of the time that those of a set take.
        offsets = {key: offset for key, offset in self._offsets[name].items() if key in mine}
        directory.write(name, offsets, sync=sync)
