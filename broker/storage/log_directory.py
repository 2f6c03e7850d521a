"""A data directory: who it belongs to, whether it was left in order, and its checkpoints.

`LogManager` keeps the partitions; this file keeps the directory's own small files.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from broker.common.errors import StartupError
from broker.common.topic_partition import TopicPartition
from broker.storage.checkpoints import (
    CorruptCheckpoint,
    read_offset_checkpoint,
    uuid_text,
    write_offset_checkpoint,
)
from broker.storage.disk import Disk, read_small_file

logger = logging.getLogger(__name__)

HIGH_WATERMARKS = "replication-offset-checkpoint"
RECOVERY_POINTS = "recovery-point-offset-checkpoint"
LOG_STARTS = "log-start-offset-checkpoint"
COMPACTED = "cleaner-offset-checkpoint"

_META_PROPERTIES = "meta.properties"
_CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
_MARK = b'{"version":0,"brokerEpoch":-1}'  # no epoch: nobody here asks whether it was the last
_LOCK = ".lock"


class LogDirectory:
    """One data directory, locked while it is open, and the partitions that have a folder in it.

    Raises `StartupError` if another process has it or if it is another broker's, OSError if it
    cannot be written.
    """

    def __init__(self, path: Path, disk: Disk, *, node_id: int, cluster_id: str) -> None:
        self.path = path
        self.disk = disk
        self.partitions: set[TopicPartition] = set()
        path.mkdir(parents=True, exist_ok=True)
        self._lock = self._take_lock()
        try:
            self.was_clean = (path / _CLEAN_SHUTDOWN).exists()
            self._claim(node_id, cluster_id)
            # What dies from now on has not been left in order, even if the power fails with it.
            if self.was_clean:
                disk.remove(path / _CLEAN_SHUTDOWN)
                disk.sync_path(path)
        except BaseException:
            os.close(self._lock)
            raise

    @property
    def is_offline(self) -> bool:
        """Whether the disk has failed."""
        return self.disk.failure is not None

    def space(self) -> tuple[int, int]:
        """Bytes of the volume in all, and those left for us. Raises OSError if it is offline."""
        self.disk.check()
        usage = shutil.disk_usage(self.path)
        return usage.total, usage.free

    def read(self, name: str) -> dict[TopicPartition, int]:
        """The offsets of a checkpoint file; none if it is damaged, as Kafka goes on then.

        Without recovery points more is scanned, without high watermarks readers wait until they
        are known anew, without log starts deleted records are back.
        """
        try:
            return read_offset_checkpoint(self.path / name)
        except CorruptCheckpoint as error:
            logger.warning("%s; it is left out", error)
            return {}

    def write(self, name: str, offsets: Mapping[TopicPartition, int], *, sync: bool) -> None:
        """Replace a checkpoint file; with *sync* the disk has it for good then."""
        write_offset_checkpoint(self.disk, self.path / name, offsets, sync=sync)

    def close(self, *, clean: bool) -> None:
        """Leave the mark of a clean shutdown, if it is one, and let others in. Raises OSError."""
        if clean:
            self.disk.replace(self.path / _CLEAN_SHUTDOWN, _MARK, sync=True)
        self.unlock()

    def unlock(self) -> None:
        """Let others in."""
        os.close(self._lock)

    def _take_lock(self) -> int:
        fd = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            if error.errno not in (errno.EACCES, errno.EAGAIN):
                raise
            raise StartupError(
                f"data directory {self.path} is in use by another process; stop that or choose "
                "another directory"
            ) from None
        return fd

    def _claim(self, node_id: int, cluster_id: str) -> None:
        """Read whose directory it is, or write that it is ours."""
        path = self.path / _META_PROPERTIES
        wanted = {"version": "1", "cluster.id": cluster_id, "node.id": str(node_id)}
        try:
            lines = read_small_file(path).decode("latin-1").splitlines()
        except FileNotFoundError:
            wanted["directory.id"] = uuid_text(uuid4())
            text = "".join(f"{key}={value}\n" for key, value in wanted.items())
            self.disk.replace(path, text.encode(), sync=True)
            return
        found = dict(line.split("=", 1) for line in lines if "=" in line and line[0] != "#")
        for key in ("cluster.id", "node.id"):
            if key not in found:
                raise StartupError(
                    f"{path} is damaged, it has no {key}; write {key}={wanted[key]} into it if the "
                    "directory is this node's"
                )
            if found[key] != wanted[key]:
                raise StartupError(
                    f"data directory {self.path} belongs to {key} {found[key]}, not to "
                    f"{wanted[key]}; see {_META_PROPERTIES} there"
                )
