"""All logs of a broker, in one or more data directories (Kafka's ``LogManager``).

A partition's folder is made in the directory that has the fewest, renamed when the partition is
deleted, and then removed; a folder so renamed that a crash left behind goes at the next start.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID, uuid4

from broker.clock import Clock
from broker.storage.checkpoints import read_partition_metadata, write_partition_metadata
from broker.storage.disk import Disk, StorageErrors
from broker.storage.log import Log
from broker.storage.log_config import LogConfig
from broker.storage.log_directory import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    LogDirectory,
)
from broker.storage.read_cache import ReadCache
from broker.topic_partition import TopicPartition

logger = logging.getLogger(__name__)

PARTITION_METADATA = "partition.metadata"
_DELETED = "-delete"
_FOLDER = re.compile(r"(?P<topic>.+)-(?P<partition>\d+)")


class LogManager:
    """The logs by partition, opened when the broker first hosts them.

    *data_dir* is one directory or several. Raises `StartupError` as `LogDirectory` does.
    """

    def __init__(
        self,
        data_dir: Path | Sequence[Path],
        clock: Clock,
        *,
        node_id: int,
        cluster_id: str,
        disk: Disk | None = None,
        durable: bool = True,
    ) -> None:
        self._clock = clock
        self._disk = disk or Disk()
        self._cache = ReadCache()
        self._durable = durable
        self._logs: dict[TopicPartition, Log] = {}
        self._homes: dict[TopicPartition, LogDirectory] = {}
        paths = [data_dir] if isinstance(data_dir, Path) else list(data_dir)
        self.directories: list[LogDirectory] = []
        for path in paths:
            directory = LogDirectory(path, self._disk, node_id=node_id, cluster_id=cluster_id)
            self.directories.append(directory)
            self._find_folders(directory)
        self._checkpoints = {
            name: {
                key: offset
                for directory in self.directories
                for key, offset in directory.read(name).items()
            }
            for name in (HIGH_WATERMARKS, RECOVERY_POINTS, LOG_STARTS)
        }

    def __iter__(self) -> Iterator[Log]:
        return iter(self._logs.values())

    def __len__(self) -> int:
        return len(self._logs)

    def get(self, key: TopicPartition) -> Log | None:
        """The partition's log, if it is open."""
        return self._logs.get(key)

    @property
    def known_partitions(self) -> dict[TopicPartition, UUID | None]:
        """The partitions that have a folder, with the topic ids written there."""
        return {
            key: read_partition_metadata(home.path / str(key) / PARTITION_METADATA)
            for key, home in self._homes.items()
        }

    def get_or_create(self, key: TopicPartition, topic_id: UUID, config: LogConfig) -> Log:
        """The partition's log, opened or made.

        A folder of another topic of the same name is removed: that topic was deleted. Raises
        `ApiError` KAFKA_STORAGE_ERROR.
        """
        log = self._logs.get(key)
        if log is None:
            with StorageErrors(key):
                log = self._logs[key] = self._open(key, topic_id, config)
        return log

    def _open(self, key: TopicPartition, topic_id: UUID, config: LogConfig) -> Log:
        home = self._homes.get(key)
        if home is not None:
            found = read_partition_metadata(home.path / str(key) / PARTITION_METADATA)
            if found is not None and found != topic_id:
                self.delete(key)
                home = None
        is_new = home is None
        home = home or self._emptiest()
        directory = home.path / str(key)
        log = Log.open(
            directory,
            key,
            config,
            self._clock,
            disk=self._disk,
            cache=self._cache,
            clean=home.was_clean or is_new,
            recovery_point=self._checkpoints[RECOVERY_POINTS].get(key, 0),
            log_start_offset=self._checkpoints[LOG_STARTS].get(key, 0),
            high_watermark=self._checkpoints[HIGH_WATERMARKS].get(key, 0),
        )
        if not (directory / PARTITION_METADATA).exists():
            write_partition_metadata(self._disk, directory / PARTITION_METADATA, topic_id)
        self._homes[key] = home
        return log

    def delete(self, key: TopicPartition) -> None:
        """Delete the partition's folder: under its new name at once, then for good."""
        log = self._logs.pop(key, None)
        home = self._homes.pop(key, None)
        for offsets in self._checkpoints.values():
            offsets.pop(key, None)
        if log is not None:
            log.rename(_deleted_name(log.directory))
            log.delete()
        elif home is not None:
            self._remove_folder(home.path / str(key))

    def checkpoint(self, *, sync: bool = False) -> None:
        """Write down high watermarks, recovery points and log starts.

        What was found for partitions that nobody has opened since is kept.
        """
        for key, log in self._logs.items():
            self._checkpoints[HIGH_WATERMARKS][key] = log.high_watermark
            self._checkpoints[RECOVERY_POINTS][key] = log.recovery_point
            starts = self._checkpoints[LOG_STARTS]
            if log.log_start_offset > log.segment_base_offsets[0]:
                starts[key] = log.log_start_offset
            else:
                starts.pop(key, None)
        for directory in self.directories:
            for name, offsets in self._checkpoints.items():
                mine = {k: o for k, o in offsets.items() if self._homes.get(k) is directory}
                directory.write(name, mine, sync=sync)

    def close(self) -> None:
        """Close all logs and leave the directories in order.

        A directory that was found in disorder stays so if some of its logs were never opened, and
        therefore never checked.
        """
        for log in self._logs.values():
            log.close(sync=self._durable)
        self.checkpoint(sync=self._durable)
        for directory in self.directories:
            unchecked = any(
                home is directory and key not in self._logs for key, home in self._homes.items()
            )
            directory.close(clean=directory.was_clean or not unchecked)
        self._logs.clear()

    def crash(self) -> None:
        """End as a killed process does: nothing is flushed, checkpointed or marked.

        Another `LogManager` may open the directories at once; whoever still holds one of these
        logs gets KAFKA_STORAGE_ERROR for what it appends.
        """
        self._disk.abandon()
        for directory in self.directories:
            directory.unlock()
        self._logs.clear()

    def _find_folders(self, directory: LogDirectory) -> None:
        for path in sorted(directory.path.iterdir()):
            if not path.is_dir():
                continue
            if path.name.endswith(_DELETED):
                self._disk.remove_tree(path)
            elif match := _FOLDER.fullmatch(path.name):
                key = TopicPartition(match["topic"], int(match["partition"]))
                self._homes[key] = directory
            else:
                logger.warning("%s is no partition's folder; it is left alone", path)

    def _emptiest(self) -> LogDirectory:
        homes = list(self._homes.values())
        return min(self.directories, key=homes.count)

    def _remove_folder(self, path: Path) -> None:
        gone = _deleted_name(path)
        path.rename(gone)
        self._disk.remove_tree(gone)


def _deleted_name(directory: Path) -> Path:
    """A partition's folder on its way out: Kafka's ``<topic>-<partition>.<32 hex>-delete``."""
    return directory.with_name(f"{directory.name}.{uuid4().hex}{_DELETED}")
