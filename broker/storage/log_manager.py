"""All logs of a broker, in one or more data directories (Kafka's ``LogManager``).

A partition's folder is made in the directory that has the fewest, renamed when the partition is
deleted, and then removed; a folder so renamed that a crash left behind goes at the next start.

A directory whose disk fails is offline until a restart: its partitions raise KAFKA_STORAGE_ERROR,
the others go on. With the last one the node ends, as Kafka halts.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from uuid import UUID

from broker.common.clock import Clock
from broker.common.errors import ApiError, StartupError
from broker.common.topic_partition import TopicPartition
from broker.storage.background import Then, background
from broker.storage.checkpointed_offsets import CHECKPOINTS, CheckpointedOffsets
from broker.storage.checkpoints import (
    PARTITION_METADATA,
    CorruptCheckpoint,
    read_partition_metadata,
    write_partition_metadata,
)
from broker.storage.disk import Disk, DiskFile
from broker.storage.flusher import Flush, Flusher
from broker.storage.local_log import Later, at_once
from broker.storage.log import Log
from broker.storage.log_config import LogConfig
from broker.storage.log_directory import (
    COMPACTED,
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
    LogDirectory,
)
from broker.storage.log_recovery import Progress
from broker.storage.open_files import OpenFiles
from broker.storage.partition_folders import DELETED, STRAY, aside, partition_of
from broker.storage.producer_state import PRODUCER_ID_EXPIRATION_MS
from broker.storage.read_cache import ReadCache
from broker.storage.removals import Removals
from broker.storage.storage_errors import StorageErrors
from protocol.errors import ErrorCode
from purgatories.on_error import OnError, log_error

logger = logging.getLogger(__name__)

# When all logs are closed: a file system that is asked by several writes its journal once for them.
SYNCS_AT_ONCE = 8
# What one partition's folder may be: damaged, or not even a folder.
_NOT_THE_DISKS_FAULT = (CorruptCheckpoint, NotADirectoryError, FileExistsError)
# What a log says to those who still hold it when its node has ended as a killed process does.
_ENDED = OSError(errno.ENODEV, os.strerror(errno.ENODEV))


class LogManager:
    """The logs by partition, opened when the broker first hosts them.

    *data_dir* is one directory or several; *open_files* are counted with those of other managers.
    Raises `StartupError` if a directory is not ours to use, or if none can be used. ``later`` does
    something after a while: at once, until somebody who has a timer puts another in its place.
    ``on_error`` gets exceptions that nobody expects, in chores and in threads.
    ``on_last_failed`` is called soon after the last directory has failed, with the line that would
    be logged otherwise.
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
        self.later: Later = at_once
        self.on_last_failed: Callable[[str], None] | None = None
        self.producer_id_expiration_ms = PRODUCER_ID_EXPIRATION_MS
        self.directories: list[LogDirectory] = []
        self.clock = clock
        self._durable = durable
        self._cache = ReadCache()
        self.on_error: OnError = log_error
        self._background = background(self._report)
        self._removals = Removals(self._background)
        self._flusher = Flusher(self._background, durable=durable)
        # What comes in the place of what was cut must not be taken for safe after a crash.
        lowered = partial(self.checkpoint, (RECOVERY_POINTS, COMPACTED), sync=True)
        self._flusher.on_recovery_point_lowered = lowered
        self._progress = Progress()
        self._logs: dict[TopicPartition, Log] = {}
        self._homes: dict[TopicPartition, LogDirectory] = {}
        self._offsets = CheckpointedOffsets()
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
                self._take_in(directory)
            except OSError as error:
                problem = f"data directory {path}: {error.strerror}"
                if len(paths) == 1 or (path is paths[-1] and not self.directories):
                    raise StartupError(problem) from error
                logger.error("%s; its partitions are offline", problem)
                self._some_are_missing = True

    def __iter__(self) -> Iterator[Log]:
        return iter(self._logs.values())

    def __len__(self) -> int:
        return len(self._logs)

    def get(self, key: TopicPartition) -> Log | None:
        """The partition's log, if it is open."""
        return self._logs.get(key)

    # ---------------------------------------------------------------------- opening, deleting

    def get_or_create(self, key: TopicPartition, topic_id: UUID, config: LogConfig) -> Log:
        """The partition's log, opened or made.

        Until `started`, one that has no folder may lie in a directory that is missing, and is not
        made elsewhere then, nor later. A folder of another topic of the same name is removed: that
        topic was deleted. Raises `ApiError` KAFKA_STORAGE_ERROR.
        """
        log = self._logs.get(key)
        if log is not None and log.disk.failure is None:
            return log
        self._unknown.discard(key)
        home = self._homes.get(key) or self._home_for_new(key)
        with StorageErrors(key, home.disk):
            try:
                return self._open(key, topic_id, config, home)
            except _NOT_THE_DISKS_FAULT as error:
                logger.error("%s", error)
                raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error

    def started(self) -> None:
        """What the node has had all along has been asked for: what it will ask for now is new.

        A folder that nobody has asked for is of a topic that is gone, or was moved to other nodes,
        while the node was down. It gets another name, and is kept.
        """
        self._is_starting = False
        for key in sorted(self._unknown):
            stray = self._set_aside(key, STRAY)
            if stray is not None:
                logger.warning("%s is not of this node any more; it is kept as %s", key, stray)
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
    ) -> Log:
        directory = home.path / str(key)
        found = read_partition_metadata(directory / PARTITION_METADATA)
        if found not in (None, topic_id):
            self.delete(key)
        is_new = key not in self._homes
        log = self._logs[key] = Log.open(
            directory,
            key,
            config,
            self.clock,
            disk=home.disk,
            cache=self._cache,
            flusher=self._flusher,
            later=self._do_later,
            progress=self._progress,
            producer_id_expiration_ms=self.producer_id_expiration_ms,
            clean=home.was_clean or is_new,
            recovery_point=self._offsets.of(RECOVERY_POINTS, key),
            log_start_offset=self._offsets.of(LOG_STARTS, key),
            high_watermark=self._offsets.of(HIGH_WATERMARKS, key),
            compacted_to=self._offsets.of(COMPACTED, key),
        )
        self._settle(key, home)
        if found != topic_id:
            write_partition_metadata(home.disk, directory / PARTITION_METADATA, topic_id)
        return log

    def _do_later(self, delay_ms: int, action: Callable[[], None]) -> None:
        self.later(delay_ms, action)

    def delete(self, key: TopicPartition) -> None:
        """Delete the partition's folder: under its new name at once, then for good."""
        log, home = self._logs.get(key), self._homes.get(key)
        gone = self._set_aside(key, DELETED)
        if gone is None or home is None:
            return
        delay_ms = (log.config if log is not None else LogConfig()).file_delete_delay_ms
        self.later(delay_ms, partial(self._removals.add, partial(home.disk.remove_tree, gone)))

    def _set_aside(self, key: TopicPartition, suffix: str) -> Path | None:
        """Forget the partition; its folder's new name, None if there is no folder to rename."""
        log, home = self._logs.pop(key, None), self._homes.pop(key, None)
        if log is not None:
            self._flusher.forget(log.flushable)
        self._missing.discard(key)
        self._offsets.forget(key)
        if home is None:
            return None
        home.partitions.discard(key)
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

    # ------------------------------------------------------------------------------ failures

    def on_directory_failed(self, callback: Callable[[list[TopicPartition]], None]) -> None:
        """Call *callback* with the partitions of each directory that fails from now on.

        Not from within the operation that met the failure, but soon after it.
        """
        self._listeners.append(callback)

    def is_offline(self, key: TopicPartition) -> bool:
        """Whether the partition lies in a directory that has failed."""
        home = self._homes.get(key)
        return home is not None and home.is_offline

    def _failed(self, directory: LogDirectory, about: object, error: OSError) -> None:
        keys = sorted(directory.partitions)
        line = (
            f"data directory {directory.path} is offline until a restart, with {len(keys)} "
            f"partitions: {about}: {error}"
        )
        if self.on_last_failed is not None and all(each.is_offline for each in self.directories):
            self._background.soon(partial(self.on_last_failed, line))
            return
        logger.error("%s", line)
        for listener in self._listeners:
            self._background.soon(partial(listener, keys))

    # -------------------------------------------------------------------------------- chores

    def each(self, chore: Callable[[Log], object]) -> None:
        """Do *chore* for every log whose directory is and stays online, also if one raises."""
        for key, log in list(self._logs.items()):
            if not self.is_offline(key):
                try:
                    chore(log)
                except Exception as error:
                    if not isinstance(error, ApiError):
                        self.on_error(f"{chore!r} of {key}", error)

    def _report(self, what: str, error: Exception) -> None:
        self.on_error(what, error)

    @property
    def is_flushing(self) -> bool:
        """Whether anything is being forced to the disk."""
        return self._flusher.is_busy

    def awaits_flush(self, key: TopicPartition, offset: int) -> bool:
        """Whether *offset* is being forced to the disk because of ``flush.messages``.

        Kafka does that within the append; here who answers the produce waits for it.
        """
        return key in self._logs and self._logs[key].awaits_flush(offset)

    def after_flush(self, keys: Iterable[TopicPartition], action: Callable[[], None]) -> None:
        """Call *action* when what these logs were to flush by now is on the disk, or has failed.

        At once if there is nothing to wait for; `is_offline` says whether it failed.
        """
        logs = [self._logs[key].flushable for key in keys if key in self._logs]
        self._flusher.after(logs, action)

    def sync(self, flush: Flush, then: Then) -> None:
        """Have files synced beside the loop, if the logs are durable."""
        self._flusher.sync(flush, then)

    def checkpoint(self, names: Sequence[str] = CHECKPOINTS, *, sync: bool = False) -> None:
        """Write down high watermarks, recovery points, log starts, compactions; or some of these.

        With *sync* they are on the disk for good then, if the logs are durable.
        """
        for name in names:
            self._offsets.note(name, self._logs)
            for directory in self.directories:
                try:
                    if not directory.is_offline:
                        self._offsets.write(name, directory, sync=sync and self._durable)
                except OSError as error:
                    directory.disk.fail(name, error)

    # ---------------------------------------------------------------------------------- ends

    def close(self) -> None:
        """Close all logs and leave the directories in order, those that have not failed.

        A directory that was found in disorder stays so if some of its logs were never opened, and
        therefore never checked.
        """
        self.on_last_failed = None
        self._flusher.close()
        flushes = {}
        for key, log in self._logs.items():
            disk = self._homes[key].disk
            try:
                if disk.failure is None:
                    flushes[key] = log.flushable.begin_flush()
                    log.close(sync=False)
            except OSError as error:
                disk.fail(key, error)
        if self._durable:
            self._sync_all(flushes)
        self.checkpoint(sync=True)
        for directory in self.directories:
            unchecked = directory.partitions - self._logs.keys()
            clean = directory.was_clean or not unchecked
            try:
                directory.close(clean=clean and not directory.is_offline)
            except OSError as error:
                directory.disk.fail(directory.path, error)
            # Those of segments that were to be deleted later: the next start does it.
            directory.disk.close_files()
        self._logs.clear()

    def _sync_all(self, flushes: Mapping[TopicPartition, Flush]) -> None:
        """Return when the disks have all of these; several at a time share a disk's trouble."""
        with ThreadPoolExecutor(SYNCS_AT_ONCE) as threads:
            running = {key: threads.submit(flush.run) for key, flush in flushes.items()}
        for key, synced in running.items():
            error = synced.exception()
            if isinstance(error, OSError):
                self._homes[key].disk.fail(key, error)
            elif error is not None:
                raise error

    def crash(self) -> None:
        """End as a killed process does: nothing is flushed, checkpointed or marked.

        Another `LogManager` may open the directories at once; whoever still holds one of these
        logs gets KAFKA_STORAGE_ERROR.
        """
        self._flusher.close()
        for directory in self.directories:
            directory.disk.abandon(_ENDED)
            directory.unlock()
        self._logs.clear()

    # --------------------------------------------------------------------------------- start

    def _take_in(self, directory: LogDirectory) -> None:
        """Find the partitions and their offsets."""
        for path in sorted(directory.path.iterdir()):
            if not path.is_dir():
                continue
            if path.name.endswith(DELETED):
                directory.disk.remove_tree(path)
            elif key := partition_of(path.name):
                if key in self._homes:
                    raise StartupError(
                        f"{key} has a folder in {self._homes[key].path} and in {directory.path}; "
                        "move one of them away"
                    )
                self._settle(key, directory)
                self._unknown.add(key)
            else:
                logger.warning("%s is no partition's folder; it is left alone", path)
        self._offsets.read(directory)
        directory.disk.on_failure = partial(self._failed, directory)
        self.directories.append(directory)

    def _settle(self, key: TopicPartition, home: LogDirectory) -> None:
        self._homes[key] = home
        home.partitions.add(key)
