"""The offsets of all logs that outlive the process, as Kafka's four checkpoint files have them.

What was found for partitions that nobody has opened since is kept.
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
from broker.storage.log_view import LogView


def _log_start(log: LogView) -> int | None:
    """Most logs begin where their first segment does: nothing need be said of them."""
    start = log.log_start_offset
    return start if start > log.segments.first.base_offset else None


def _compacted_to(log: LogView) -> int | None:
    return log.first_dirty_offset if log.config.is_compacted else None


_OFFSET_OF: dict[str, Callable[[LogView], int | None]] = {
    HIGH_WATERMARKS: lambda log: log.high_watermark,
    RECOVERY_POINTS: lambda log: log.recovery_point,
    LOG_STARTS: _log_start,
    COMPACTED: _compacted_to,
}
CHECKPOINTS = tuple(_OFFSET_OF)


class CheckpointedOffsets:
    """By checkpoint file and partition; a partition of which nothing is said is at 0."""

    def __init__(self) -> None:
        self._offsets: dict[str, dict[TopicPartition, int]] = {name: {} for name in CHECKPOINTS}

    def of(self, name: str, key: TopicPartition) -> int:
        """The partition's offset in the file *name*."""
        return self._offsets[name].get(key, 0)

    def read(self, directory: LogDirectory) -> None:
        """Take in the files of a directory."""
        for name, offsets in self._offsets.items():
            offsets.update(directory.read(name))

    def forget(self, key: TopicPartition) -> None:
        """The partition is deleted."""
        for offsets in self._offsets.values():
            offsets.pop(key, None)

    def note(self, name: str, logs: Mapping[TopicPartition, LogView]) -> None:
        """Bring what the file *name* will say of these logs up to date."""
        offsets, offset_of = self._offsets[name], _OFFSET_OF[name]
        for key, log in logs.items():
            offset = offset_of(log)
            if offset is None:
                offsets.pop(key, None)
            else:
                offsets[key] = offset

    def write(self, name: str, directory: LogDirectory, *, sync: bool) -> None:
        """Replace the file *name* of a directory. Raises OSError."""
        offsets = self._offsets[name]
        mine = {key: offsets[key] for key in directory.partitions if key in offsets}
        directory.write(name, mine, sync=sync)
