"""Truncations below the recovery point: a restart must not trust the records that follow them."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.directories.checkpointed_offsets import RECOVERY_POINTS
from broker.storage.directories.log_manager import LogManager
from broker.storage.files.checkpoints import read_offset_checkpoint
from broker.storage.files.positional import Bytes
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.validation.append import AppendRefused
from tests.broker.storage.logs import ORDERS, FailingDisk, batch, host, manager_at

OTHERS = TopicPartition("others", 0)


class CountingDisk(FailingDisk):
    """Counts the files that it replaces."""

    def __init__(self) -> None:
        super().__init__()
        self.replaced: list[str] = []
        self.is_full = False

    def replace(self, path: Path, content: Bytes, *, sync: bool = False) -> None:
        if self.is_full:
            self.room = 0
        self.replaced.append(path.name)
        super().replace(path, content, sync=sync)


def flushed(manager: LogManager, *keys: TopicPartition) -> list[UnifiedLog]:
    """A log of six flushed records for each key; the checkpoints are written."""
    logs = [host(manager, key) for key in keys]
    for log in logs:
        for _ in range(3):
            log.append_as_leader(batch(2), 0)
        log.local_log.flush()
    manager.checkpoint()
    return logs


def recovery_points(path: Path) -> list[int]:
    """Those in the file, by partition."""
    offsets = read_offset_checkpoint(path / RECOVERY_POINTS)
    return [offsets[key] for key in sorted(offsets)]


def test_an_append_after_a_truncation_writes_the_recovery_point_first(tmp_path: Path) -> None:
    """The records that replace the truncated ones are not on the disk yet."""
    manager = manager_at(tmp_path)
    [log] = flushed(manager, ORDERS)
    log.truncate_to(2)
    log.append_as_leader(batch(9), 1)
    manager.crash()
    assert host(manager_at(tmp_path)).local_log.recovery_point == 2


def test_truncations_write_their_recovery_points_together(tmp_path: Path) -> None:
    """Once, before the first append to one of the logs."""
    disk = CountingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    log, other = flushed(manager, ORDERS, OTHERS)
    whole = host(manager, TopicPartition("whole", 0))
    disk.replaced.clear()
    for each in (log, other):
        each.truncate_to(2)
    whole.append_as_leader(batch(1), 0)
    assert RECOVERY_POINTS not in disk.replaced
    for each in (log, other):
        each.append_as_leader(batch(1), 0)
    assert disk.replaced.count(RECOVERY_POINTS) == 1
    assert recovery_points(tmp_path) == [2, 2, 0]
    log.truncate_to(1)
    log.append_as_leader(batch(1), 0)
    assert recovery_points(tmp_path) == [1, 2, 0]


def test_a_crash_after_a_truncation_does_not_raise_the_recovery_point(tmp_path: Path) -> None:
    """The next process has a recovery point above the end of the log, and lowers it too."""
    manager = manager_at(tmp_path)
    [log] = flushed(manager, ORDERS)
    log.truncate_to(2)
    manager.crash()
    assert recovery_points(tmp_path) == [6]
    manager = manager_at(tmp_path)
    log = host(manager)
    assert (log.local_log.recovery_point, log.local_log.unflushed) == (2, 0)
    log.append_as_leader(batch(9), 1)
    assert recovery_points(tmp_path) == [2]
    manager.close()


def test_an_append_is_refused_if_the_recovery_point_cannot_be_written(tmp_path: Path) -> None:
    """The data directory is offline then."""
    disk = CountingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    [log] = flushed(manager, ORDERS)
    log.truncate_to(2)
    disk.is_full = True
    with pytest.raises(AppendRefused):
        log.append_as_leader(batch(1), 0)
    assert log.log_end_offset == 2
    assert manager.is_offline(ORDERS)
    manager.close()


def test_a_deleted_log_needs_no_recovery_point(tmp_path: Path) -> None:
    """A new log of its name begins without one."""
    disk = CountingDisk()
    manager = manager_at(tmp_path, disks=[disk])
    [log] = flushed(manager, ORDERS)
    log.truncate_to(2)
    manager.delete(ORDERS)
    disk.replaced.clear()
    host(manager).append_as_leader(batch(1), 0)
    assert RECOVERY_POINTS not in disk.replaced
    assert not manager.flusher.lowered
    manager.close()
