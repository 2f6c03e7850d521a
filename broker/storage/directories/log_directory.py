"""A data directory: its owner, its lock, the mark of a clean shutdown, and its partitions.

`broker.storage.directories.log_manager` handles the partitions in it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from uuid import uuid4

from broker.common.errors import StartupError
from broker.common.topic_partition import TopicPartition
from broker.common.uuid_text import uuid_text
from broker.storage.directories.checkpointed_offsets import CheckpointedOffsets
from broker.storage.files.disk import Disk, read_small_file
from broker.storage.files.file_lock import try_lock

_META_PROPERTIES = "meta.properties"
# What to do with a directory that has another owner.
_OTHER_OWNER = {
    "cluster.id": "give the directories of one cluster, the one with its controller.db first",
    "node.id": f"see {_META_PROPERTIES} there",
}
_CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
_MARK = b'{"version":0,"brokerEpoch":-1}'  # a broker epoch is not needed here
_LOCK = ".lock"


class LogDirectory:
    """One data directory, locked while it is open, and the partitions that it contains.

    Raises `StartupError` if another process has locked it or if it belongs to another node, and
    OSError if it cannot be written.
    """

    def __init__(self, path: Path, disk: Disk, *, node_id: int, cluster_id: str) -> None:
        self.path = path
        self.disk = disk
        self.partitions: set[TopicPartition] = set()
        self.offsets = CheckpointedOffsets(path, disk)
        path.mkdir(parents=True, exist_ok=True)
        self._lock = self._take_lock()
        try:
            self.was_clean = (path / _CLEAN_SHUTDOWN).exists()
            self._claim(node_id, cluster_id)
            # A process or machine that ends from now on has not shut down cleanly.
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
        """Total and usable bytes of the volume. Raises OSError if the directory is offline."""
        self.disk.check()
        usage = shutil.disk_usage(self.path)
        return usage.total, usage.free

    def checkpoint(self, name: str, *, sync: bool) -> None:
        """Write a checkpoint file, unless the directory is offline or fails now."""
        try:
            if not self.is_offline:
                self.offsets.write(name, sync=sync)
        except OSError as error:
            self.disk.fail(name, error)

    def close(self, *, clean: bool) -> None:
        """Mark a clean shutdown, if *clean*, and release the lock. Raises OSError."""
        if clean:
            self.disk.replace(self.path / _CLEAN_SHUTDOWN, _MARK, sync=True)
        self.unlock()

    def unlock(self) -> None:
        """Release the lock."""
        os.close(self._lock)

    def _take_lock(self) -> int:
        fd = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not try_lock(fd):
                raise StartupError(
                    f"data directory {self.path} is in use by another process; stop that or choose "
                    "another directory"
                )
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _claim(self, node_id: int, cluster_id: str) -> None:
        """Check the owner of the directory, or write this node as its owner."""
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
        for key in wanted:
            if key not in found:
                raise StartupError(
                    f"{path} is damaged, it has no {key}; write {key}={wanted[key]} into it if the "
                    "directory is this node's"
                )
            if key == "version" and found[key] != wanted[key]:
                raise StartupError(
                    f"{path} has version {found[key]}, and only version {wanted[key]} is supported;"
                    " use another data directory"
                )
            if found[key] != wanted[key]:
                raise StartupError(
                    f"data directory {self.path} belongs to {key} {found[key]}, not to "
                    f"{wanted[key]}; {_OTHER_OWNER[key]}"
                )
