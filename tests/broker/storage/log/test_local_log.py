"""Tests of segments and their end: `broker.storage.log.local_log`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from broker.storage.files.disk import Disk, DiskFile
from broker.storage.files.flusher import Flusher
from broker.storage.files.open_files import OpenFiles
from broker.storage.log.local_log import LocalLog
from broker.storage.log_config import LogConfig
from broker.storage.producers.producer_snapshot import snapshot_path
from broker.storage.segments.log_segments import LogSegments
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from broker.storage.segments.segment import LogSegment
from tests.broker.storage.logs import NOW_MS, FailingDisk, StillClock, batch


def local_log(path: Path, disk: Disk | None = None, **more: Any) -> LocalLog:
    config, disk = LogConfig(), disk or Disk()
    first = LogSegment.create(path, 0, config, disk, NOW_MS)
    return LocalLog(path, config, StillClock(), disk, LogSegments([first]), 0, 0, **more)


def put(log: LocalLog, count: int = 2) -> int:
    """Append a batch; returns its size."""
    offset = log.end.message_offset
    data = batch(count, base_offset=offset)
    log.append(data, [(len(data), offset + count - 1, NOW_MS)])
    return len(data)


def test_the_end_follows_appends_and_rolls(tmp_path: Path) -> None:
    """Its offset, segment and position."""
    log = local_log(tmp_path)
    size = put(log)
    assert log.end == LogOffsetMetadata(2, 0, size)
    assert log.roll(log.end.message_offset)
    assert log.end == LogOffsetMetadata(2, 2, 0)
    assert not log.roll(log.end.message_offset), "a new segment is not rolled again"


def test_truncation_lowers_the_end_and_the_recovery_point(tmp_path: Path) -> None:
    """Removed records need no recovery."""
    log = local_log(tmp_path)
    size = put(log)
    put(log)
    log.roll(log.end.message_offset)
    put(log)
    log.flush()
    assert log.recovery_point == 6
    log.truncate_to(2)
    assert log.end == LogOffsetMetadata(2, 0, size)
    assert log.recovery_point == 2
    assert [segment.base_offset for segment in log.segments] == [0]


def test_no_record_above_the_end_counts_as_compacted(tmp_path: Path) -> None:
    """The checkpoint may be older than a truncation before a crash."""
    log = local_log(tmp_path, compacted_to=9)
    for _ in range(6):
        put(log)
    assert log.first_dirty_offset(0) == 0


def test_a_full_truncation_removes_the_files_first(tmp_path: Path) -> None:
    """The new segment may have the name of an old one."""
    log = local_log(tmp_path)
    put(log)
    log.truncate_fully_and_start_at(0)
    put(log, 3)
    assert (tmp_path / f"{0:020d}.log").stat().st_size == log.end.relative_position_in_segment


def test_the_oldest_segments_are_deleted_with_their_files(tmp_path: Path) -> None:
    """Without a timer, immediately."""
    log = local_log(tmp_path)
    for _ in range(3):
        put(log)
        log.roll(log.end.message_offset)
    log.delete_first(2)
    assert sorted(int(path.stem) for path in tmp_path.glob("*.log")) == [4, 6]
    assert not list(tmp_path.glob("*.deleted"))


def test_deleted_files_are_kept_for_the_delay(tmp_path: Path) -> None:
    """With Kafka's suffix, for ``file.delete.delay.ms``."""
    waiting: list[tuple[int, Callable[[], None]]] = []
    log = local_log(
        tmp_path, delete_later=lambda delay_ms, action: waiting.append((delay_ms, action))
    )
    put(log)
    snapshot_path(tmp_path, 0).touch()
    log.roll(log.end.message_offset)
    log.delete_first(1)
    name = f"{0:020d}"
    gone = {f"{name}.{suffix}.deleted" for suffix in ("log", "index", "timeindex", "snapshot")}
    assert {path.name for path in tmp_path.glob("*.deleted")} == gone
    ((delay_ms, remove),) = waiting
    assert delay_ms == log.config.file_delete_delay_ms
    remove()
    assert {path.name[:20] for path in tmp_path.iterdir()} == {f"{2:020d}"}


def test_a_failed_deletion_takes_the_disk_offline(tmp_path: Path) -> None:
    """The deletion has no caller that could get the error."""
    waiting: list[Callable[[], None]] = []
    disk = Disk()
    log = local_log(tmp_path, disk, delete_later=lambda _, action: waiting.append(action))
    put(log)
    log.roll(log.end.message_offset)
    log.delete_first(1)
    (tmp_path / f"{0:020d}.log.deleted").unlink()
    (tmp_path / f"{0:020d}.log.deleted").mkdir()
    waiting.pop()()
    assert disk.failure is not None


def test_a_flush_syncs_all_files_of_rolled_segments(tmp_path: Path) -> None:
    """Batches, indexes, leader epochs, and the directory."""
    disk = FailingDisk()
    log = local_log(tmp_path, disk, flusher=Flusher())
    put(log)
    assert log.unflushed == 2
    log.roll(log.end.message_offset)
    log.flush_later()
    assert (log.unflushed, log.recovery_point) == (0, 2)
    assert disk.syncs == 2 * 3 + 2, "two segments' files, the folder, and the folder's own name"
    log.flush_later()
    assert disk.syncs == 8, "there is nothing new"
    put(log)
    log.flush_later()
    assert disk.syncs == 8 + 3 + 1, "the folder's name is safe since the first time"


def test_a_flush_that_fails_names_the_partition(tmp_path: Path) -> None:
    """In the message that its data directory is offline."""
    disk, reported = FailingDisk(), list[str]()
    disk.on_failure = lambda about, error: reported.append(f"{about}: {error.strerror}")
    (tmp_path / "orders-0").mkdir()
    log = local_log(tmp_path / "orders-0", disk, flusher=Flusher())
    put(log)
    disk.unsyncable = True
    log.flush_later()
    assert reported == ["orders-0: Input/output error"]


def test_an_idle_log_releases_its_index(tmp_path: Path) -> None:
    """On the second call without an append in between."""
    log = local_log(tmp_path)
    put(log)
    for _ in range(2):
        log.unload_if_idle()
    assert log.active.locate(1) == (0, log.active.size)
    put(log)
    assert log.active.locate(3) is not None


def test_closing_closes_all_files(tmp_path: Path) -> None:
    """The recovery point is the log end then."""
    files = OpenFiles[DiskFile]()
    log = local_log(tmp_path, Disk(files))
    put(log)
    log.close(sync=True)
    assert len(files) == 0
    assert log.recovery_point == 2
