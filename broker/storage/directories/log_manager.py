"""All logs of a broker, in one or more data directories (Kafka's ``LogManager``).

The directory of a new partition is made in the data directory that has the fewest. When the
partition is deleted, its directory is first renamed and later removed; if a crash comes in between,
the next start removes it.

A data directory whose disk fails is offline until a restart: its partitions raise
KAFKA_STORAGE_ERROR, the others continue. When the last one fails, the node ends, as in Kafka.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from uuid import UUID

from broker.common.clock import Clock
from broker.common.errors import ApiError, StartupError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import Slices
from broker.storage.directories.checkpointed_offsets import (
    CHECKPOINTS,
    COMPACTED,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
)
from broker.storage.directories.deletions import Deletions
from broker.storage.directories.log_directory import LogDirectory
from broker.storage.directories.partition_folders import DELETED, STRAY, aside, partition_of
from broker.storage.directories.removals import Removals
from broker.storage.files.blocking_work import Then, blocking_work
from broker.storage.files.checkpoints import (
    PARTITION_METADATA,
    CorruptCheckpoint,
    read_partition_metadata,
)
from broker.storage.files.disk import Disk, DiskFile
from broker.storage.files.flusher import Flush, Flusher, run_all
from broker.storage.files.open_files import OpenFiles
from broker.storage.files.storage_errors import StorageErrors
from broker.storage.log.log_recovery import Progress
from broker.storage.log.open_log import open_log
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.producers.producer_state import DefaultProducerConfig, ProducerConfig
from broker.storage.producers.snapshot_writer import SnapshotWriter
from broker.storage.segments.read_cache import ReadCache
from protocol.errors import ErrorCode
from purgatories.on_error import OnError, log_error

logger = logging.getLogger(__name__)

# Errors of one partition's directory, which do not take the data directory offline.
_PARTITION_ERRORS = (CorruptCheckpoint, NotADirectoryError, FileExistsError)
# The error of logs that are used after `LogManager.crash`.
_ENDED = OSError(errno.ENODEV, os.strerror(errno.ENODEV))


class LogManager:
    """The logs by partition, opened when the broker first hosts them.

    *data_dir* is one directory or several; *open_files* may be shared with other managers. Raises
    `StartupError` if a directory belongs to another node or process, or if none can be used.
    ``deletions`` deletes the files that belong to no partition, and ``snapshot_writer`` takes
    snapshots of producers. ``on_error`` gets unexpected exceptions from `each` and from threads.
    The directory of a deleted partition is removed ``delete_delay_ms`` later. ``on_last_failed`` is
    called soon after the last directory has failed, with the message that is logged otherwise.
    """

    def __init__(
        self,
        data_dir: Path | Sequence[Path],
        clock: Clock,
        *,
        node_id: int,
        cluster_id: str,
        make_disk: Callable[[OpenFiles[DiskFile]], Disk] = Disk,
        open_files: OpenFiles[DiskFile] | None = None,
        durable: bool = True,
    ) -> None:
        self.on_last_failed: Callable[[str], None] | None = None
        self.producer_config: ProducerConfig = DefaultProducerConfig()
        self.delete_delay_ms: Callable[[], int] = lambda: LogConfig().file_delete_delay_ms
        self.directories: list[LogDirectory] = []
        self.clock = clock
        self._durable = durable
        self._cache = ReadCache()
        self.on_error: OnError = log_error
        self._blocking_work = blocking_work(self._report)
        self._removals = Removals(self._blocking_work)
        self.deletions = Deletions()
        self.snapshot_writer = SnapshotWriter()
        self.flusher = Flusher(self._blocking_work, durable=durable)
        self.flusher.checkpoint = partial(self.checkpoint, (RECOVERY_POINTS, COMPACTED), sync=True)
        self._progress = Progress()
        self._logs: dict[TopicPartition, UnifiedLog] = {}
        self._homes: dict[TopicPartition, LogDirectory] = {}
        self._listeners: list[Callable[[list[TopicPartition]], None]] = []
        open_files = OpenFiles[DiskFile]() if open_files is None else open_files
        paths = [data_dir] if isinstance(data_dir, Path) else list(data_dir)
        self._some_are_missing = False
        self._is_starting = True
        self._missing: set[TopicPartition] = set()
        self._unknown: set[TopicPartition] = set()
        for path in paths:
            try:
                disk = make_disk(open_files)
                directory = LogDirectory(path, disk, node_id=node_id, cluster_id=cluster_id)
                self._add_directory(directory)
            except OSError as error:
                problem = f"data directory {path}: {error.strerror}"
                if len(paths) == 1 or (path is paths[-1] and not self.directories):
                    raise StartupError(problem) from error
                logger.error("%s; its partitions are offline", problem)
                self._some_are_missing = True

    def __iter__(self) -> Iterator[UnifiedLog]:
        return iter(self._logs.values())

    def __len__(self) -> int:
        return len(self._logs)

    @property
    def was_clean(self) -> bool:
        """Whether the shutdown before this start marked all data directories as clean."""
        return not self._some_are_missing and all(each.was_clean for each in self.directories)

    def get(self, key: TopicPartition) -> UnifiedLog | None:
        """The partition's log, if it is open."""
        return self._logs.get(key)

    def get_or_create(self, key: TopicPartition, topic_id: UUID, config: LogConfig) -> UnifiedLog:
        """The partition's log, which is opened, or made if it does not exist.

        Before `started`, while a data directory is missing, a partition without a directory may be
        in the missing one; it is not made elsewhere, nor later. The directory of a deleted topic
        with the same name is removed. Raises `ApiError` KAFKA_STORAGE_ERROR.
        """
        log = self._logs.get(key)
        if log is not None and log.local_log.disk.failure is None:
            return log
        self._unknown.discard(key)
        home = self._homes.get(key) or self._home_for_new(key)
        with StorageErrors(key, home.disk):
            try:
                return self._open(key, topic_id, config, home)
            except _PARTITION_ERRORS as error:
                raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error

    def started(self) -> None:
        """Note that all partitions that the node had have been opened; later ones are new.

        A directory that was not opened belongs to a topic that was deleted, or reassigned to other
        nodes, while the node was down. It is renamed and kept.
        """
        self._is_starting = False
        for key in sorted(self._unknown):
            stray = self._set_aside(key, STRAY)
            if stray is not None:
                logger.warning(
                    "%s is not a partition of this node; its directory is kept as %s", key, stray
                )
        self._unknown.clear()

    def _home_for_new(self, key: TopicPartition) -> LogDirectory:
        if self._some_are_missing and self._is_starting:
            self._missing.add(key)
        online = [home for home in self.directories if not home.is_offline]
        if not online or key in self._missing:
            text = f"{key}: its data directory is offline"
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, text)
        return min(online, key=lambda home: len(home.partitions))

    def _open(
        self, key: TopicPartition, topic_id: UUID, config: LogConfig, home: LogDirectory
    ) -> UnifiedLog:
        directory = home.path / str(key)
        found = None
        if key in self._homes:
            found = read_partition_metadata(directory / PARTITION_METADATA)
            if found not in (None, topic_id):
                self.delete(key)
        is_new = key not in self._homes
        log = self._logs[key] = open_log(
            directory,
            key,
            config,
            self.clock,
            disk=home.disk,
            cache=self._cache,
            flusher=self.flusher,
            delete_later=partial(self.deletions.add, key),
            progress=self._progress,
            producer_config=self.producer_config,
            snapshot_writer=self.snapshot_writer,
            clean=home.was_clean or is_new,
            recovery_point=home.offsets.of(RECOVERY_POINTS, key),
            log_start_offset=home.offsets.of(LOG_STARTS, key),
            high_watermark=home.offsets.of(HIGH_WATERMARKS, key),
            compacted_to=home.offsets.of(COMPACTED, key),
        )
        self._assign(key, home)
        log.unsaved_topic_id = topic_id if found != topic_id else None
        return log

    def delete(self, key: TopicPartition) -> None:
        """Rename the partition's directory now, and remove it after `delete_delay_ms`."""
        home = self._homes.get(key)
        gone = self._set_aside(key, DELETED)
        if gone is None or home is None:
            return
        remove = partial(self._removals.add, partial(home.disk.remove_tree, gone))
        self.deletions.add(key, self.delete_delay_ms(), remove)

    def _set_aside(self, key: TopicPartition, suffix: str) -> Path | None:
        """Remove the partition; the new name of its directory, None if it has none."""
        log, home = self._logs.pop(key, None), self._homes.pop(key, None)
        if log is not None:
            self.flusher.forget(log.local_log)
        self._missing.discard(key)
        if home is None:
            return None
        home.partitions.discard(key)
        home.offsets.forget(key)
        to = home.path / aside(key, suffix)
        try:
            if log is not None:
                log.rename(to)
            else:
                home.disk.rename(home.path / str(key), to)
        except OSError as error:
            home.disk.fail(key, error)
            return None
        return to

    def on_directory_failed(self, callback: Callable[[list[TopicPartition]], None]) -> None:
        """Call *callback* with the partitions of each directory that fails from now on.

        The call is made soon after the failed operation, not during it.
        """
        self._listeners.append(callback)

    def is_offline(self, key: TopicPartition) -> bool:
        """Whether the partition's data directory has failed."""
        home = self._homes.get(key)
        return home is not None and home.is_offline

    def _failed(self, directory: LogDirectory, about: object, error: OSError) -> None:
        keys = sorted(directory.partitions)
        line = (
            f"data directory {directory.path} is offline until a restart, with {len(keys)} "
            f"partitions: {about}: {error}"
        )
        if self.on_last_failed is not None and all(each.is_offline for each in self.directories):
            self._blocking_work.soon(partial(self.on_last_failed, line))
            return
        logger.error("%s", line)
        for listener in self._listeners:
            self._blocking_work.soon(partial(listener, keys))

    def each(
        self, task: Callable[[UnifiedLog], object], among: Iterable[UnifiedLog] | None = None
    ) -> Slices[None]:
        """Call *task* with every online log; an exception does not end the iteration.

        Logs that are opened meanwhile are left out, and those that are not *among* these logs.
        """
        for log in list(self if among is None else among):
            key = log.topic_partition
            if self._logs.get(key) is log and not self.is_offline(key):
                try:
                    task(log)
                except Exception as error:
                    if not isinstance(error, ApiError):
                        self.on_error(f"{task!r} of {key}", error)
            yield None

    def _report(self, what: str, error: Exception) -> None:
        self.on_error(what, error)

    def awaits_flush(self, key: TopicPartition, offset: int) -> bool:
        """Whether *offset* waits for the flush that ``flush.messages`` requires.

        In Kafka the append includes the flush; here the response to the produce waits for it.
        """
        return key in self._logs and self._logs[key].local_log.awaits_flush(offset)

    def after_flush(self, keys: Iterable[TopicPartition], action: Callable[[], None]) -> None:
        """Call *action* when the flushes requested for these logs have ended or failed.

        It is called immediately if there are none; `is_offline` returns whether a flush failed.
        """
        logs = [self._logs[key].local_log for key in keys if key in self._logs]
        self.flusher.after(logs, action)

    def sync(self, flush: Flush, then: Then) -> None:
        """Sync files in the background if the logs are durable, then call *then*."""
        self.flusher.sync(flush, then)

    def checkpoint(
        self,
        names: Sequence[str] = CHECKPOINTS,
        keys: Iterable[TopicPartition] | None = None,
        *,
        sync: bool = False,
    ) -> None:
        """Write the checkpoint files in *names* for every data directory.

        The offsets are those of the present, or for partitions that are not in *keys* those of the
        last checkpoint. With *sync* the files are forced to the disk, if the logs are durable.
        """
        keys = self._logs if keys is None else [key for key in keys if key in self._logs]
        for name in names:
            for key in keys:
                self._update_checkpoint(name, self._logs[key])
            for directory in self.directories:
                directory.checkpoint(name, sync=sync and self._durable)

    def checkpoint_in_slices(self, name: str) -> Slices[None]:
        """Write the checkpoint files *name*; other tasks run between two logs."""
        yield from self.each(partial(self._update_checkpoint, name))
        for directory in self.directories:
            directory.checkpoint(name, sync=False)

    def _update_checkpoint(self, name: str, log: UnifiedLog) -> None:
        self._homes[log.topic_partition].offsets.update(name, log)

    def close(self) -> None:
        """Close all logs and mark a clean shutdown in the directories that have not failed.

        A directory without that mark at the start does not get one if some of its logs were not
        opened, because these have not been checked.
        """
        self.on_last_failed = None
        self.flusher.close()
        flushes = {}
        for key, log in self._logs.items():
            disk = self._homes[key].disk
            try:
                if disk.failure is None:
                    flushes[key] = log.local_log.begin_flush()
                    log.close(sync=False)
            except OSError as error:
                disk.fail(key, error)
        if self._durable:
            for key, failure in run_all(flushes).items():
                self._homes[key].disk.fail(key, failure)
        self.checkpoint(sync=True)
        for directory in self.directories:
            unchecked = directory.partitions - self._logs.keys()
            clean = directory.was_clean or not unchecked
            try:
                directory.close(clean=clean and not directory.is_offline)
            except OSError as error:
                directory.disk.fail(directory.path, error)
            # The files of deleted segments; the next start removes them.
            directory.disk.close_files()
        self._logs.clear()

    def crash(self) -> None:
        """End as a killed process: nothing is flushed, checkpointed or marked.

        Another `LogManager` may then open the directories; the logs raise KAFKA_STORAGE_ERROR.
        """
        self.flusher.close()
        for directory in self.directories:
            directory.disk.abandon(_ENDED)
            directory.unlock()
        self._logs.clear()

    def _add_directory(self, directory: LogDirectory) -> None:
        """Add the partitions in *directory* and their checkpointed offsets."""
        for path in sorted(directory.path.iterdir()):
            if not path.is_dir():
                continue
            if path.name.endswith(DELETED):
                directory.disk.remove_tree(path)
            elif key := partition_of(path.name):
                if key in self._homes:
                    raise StartupError(
                        f"{key} has directories in {self._homes[key].path} and {directory.path}; "
                        "move one of them away"
                    )
                self._assign(key, directory)
                self._unknown.add(key)
            else:
                logger.warning("%s is not the directory of a partition; it is ignored", path)
        directory.offsets.read(directory.partitions)
        directory.disk.on_failure = partial(self._failed, directory)
        self.directories.append(directory)

    def _assign(self, key: TopicPartition, home: LogDirectory) -> None:
        self._homes[key] = home
        home.partitions.add(key)
