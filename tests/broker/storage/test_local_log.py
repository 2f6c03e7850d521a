"""Segments and their end: `broker.storage.local_log`."""

from __future__ import annotations

from pathlib import Path

from broker.storage.disk import Disk
from broker.storage.local_log import LocalLog
from broker.storage.log_config import LogConfig
from broker.storage.log_segments import LogSegments
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.segment import LogSegment
from tests.broker.storage.logs import NOW_MS, StillClock, batch


def local_log(path: Path, disk: Disk | None = None) -> LocalLog:
    config, disk = LogConfig(), disk or Disk()
    first = LogSegment.create(path, 0, config, disk, NOW_MS)
    return LocalLog(path, config, StillClock(), disk, LogSegments([first]), 0, 0)


def put(log: LocalLog, count: int = 2) -> int:
    """Append a batch; returns its size."""
    offset = log.end.message_offset
    data = batch(count, base_offset=offset)
    log.append(data, [(len(data), offset + count - 1, NOW_MS)])
    return len(data)


def test_the_end_follows_appends_and_rolls(tmp_path: Path) -> None:
    """Offset, segment and position."""
    log = local_log(tmp_path)
    size = put(log)
    assert log.end == LogOffsetMetadata(2, 0, size)
    assert log.roll()
    assert log.end == LogOffsetMetadata(2, 2, 0)
    assert not log.roll(), "a new segment is not rolled again"


def test_truncation_moves_the_end_and_the_recovery_point(tmp_path: Path) -> None:
    """What is gone needs no recovery."""
    log = local_log(tmp_path)
    size = put(log)
    put(log)
    log.roll()
    put(log)
    log.flush()
    assert log.recovery_point == 6
    log.truncate_to(2)
    assert log.end == LogOffsetMetadata(2, 0, size)
    assert log.recovery_point == 2
    assert [segment.base_offset for segment in log.segments] == [0]


def test_starting_anew_removes_the_files_first(tmp_path: Path) -> None:
    """The new segment may have an old one's name."""
    log = local_log(tmp_path)
    put(log)
    log.truncate_fully_and_start_at(0)
    put(log, 3)
    assert (tmp_path / f"{0:020d}.log").stat().st_size == log.end.relative_position_in_segment


def test_the_oldest_are_deleted_with_their_files(tmp_path: Path) -> None:
    """Their first offsets are told."""
    log = local_log(tmp_path)
    for _ in range(3):
        put(log)
        log.roll()
    assert log.delete_first(2) == [0, 2]
    assert sorted(int(path.stem) for path in tmp_path.glob("*.log")) == [4, 6]


def test_closing_gives_all_descriptors_back(tmp_path: Path) -> None:
    """And nothing needs recovery then."""
    disk = Disk()
    log = local_log(tmp_path, disk)
    put(log)
    log.close(sync=True)
    assert disk.open_files == 0
    assert log.recovery_point == 2
