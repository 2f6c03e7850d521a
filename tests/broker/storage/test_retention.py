"""Tests of the deletion of old segments: `broker.storage.retention`."""

from __future__ import annotations

import time
from pathlib import Path
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.storage.directories.log_manager import LogManager
from broker.storage.files.disk import Disk
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.retention import (
    SEGMENTS_AT_ONCE,
    delete_all_old_segments,
    delete_old_segments,
)
from tests.broker.storage.logs import (
    NOW_MS,
    StillClock,
    batch,
    marker,
    open_log,
    replicate,
    transactional,
)


class RetainedLogs:
    """Logs with segments of one batch each."""

    def __init__(self, path: Path) -> None:
        self.clock = StillClock()
        self.logs = LogManager(path, self.clock, node_id=1, cluster_id="c", durable=False)

    def log(self, number: int, segments: int) -> UnifiedLog:
        """A log whose segments are all replicated."""
        config = LogConfig(segment_bytes=100, retention_ms=1000)
        log = self.logs.get_or_create(TopicPartition("t", number), UUID(int=1), config)
        for _ in range(segments):
            log.append_as_leader(batch(1), 0)
        replicate(log)
        return log


def test_a_slice_deletes_so_many_segments_of_one_log(tmp_path: Path) -> None:
    """Then those of the next log; logs with more are visited again, the others are not."""
    retained = RetainedLogs(tmp_path)
    segments = [SEGMENTS_AT_ONCE + 1, SEGMENTS_AT_ONCE + 1, 1]
    logs = [retained.log(number, count) for number, count in enumerate(segments)]
    retained.clock.time_ms += 2000

    left = [
        [len(log.segments.base_offsets) for log in logs]
        for _ in delete_all_old_segments(retained.logs, compacted=False)
    ]

    assert left == [[1, SEGMENTS_AT_ONCE + 1, 1], *[[1, 1, 1]] * 4]
    assert [log.log_start_offset for log in logs] == segments


def test_the_log_start_follows_each_slice(tmp_path: Path) -> None:
    """Deleted segments are not read."""
    retained = RetainedLogs(tmp_path)
    log = retained.log(0, SEGMENTS_AT_ONCE + 5)
    retained.clock.time_ms += 2000

    next(delete_all_old_segments(retained.logs, compacted=False))

    assert log.log_start_offset == log.segments.base_offsets[0] == SEGMENTS_AT_ONCE


def test_a_slice_examines_only_the_segments_that_it_deletes(tmp_path: Path) -> None:
    """Its cost does not depend on the number of segments."""
    reads = []
    for segments in (SEGMENTS_AT_ONCE + 5, SEGMENTS_AT_ONCE + 50):
        path = tmp_path / str(segments)
        log = open_log(path, segment_bytes=100)
        for _ in range(segments):
            log.append_as_leader(batch(1), 0)
        log.close()
        clock, disk = StillClock(NOW_MS + 2000), ReadingDisk()
        log = open_log(
            path, clock=clock, disk=disk, clean=True, segment_bytes=100, retention_ms=1000
        )
        replicate(log)
        disk.reads = 0
        assert delete_old_segments(log, SEGMENTS_AT_ONCE) == SEGMENTS_AT_ONCE
        reads.append(disk.reads)
    assert reads[0] == reads[1] > 0


class ReadingDisk(Disk):
    """Counts reads, of which each timestamp of a segment needs some after a restart."""

    reads = 0

    def pread(self, fd: int, size: int, position: int) -> bytes:
        self.reads += 1
        return super().pread(fd, size, position)


def test_old_segments_are_deleted_by_time(tmp_path: Path) -> None:
    """A segment whose latest record is older than ``retention.ms``."""
    clock = StillClock()
    log = open_log(tmp_path, clock=clock, segment_bytes=250, retention_ms=1000)
    for _ in range(2):
        log.append_as_leader(batch(2), 0)
    clock.time_ms += 2000
    log.append_as_leader(batch(2, timestamp=clock.time_ms), 0)
    assert delete_old_segments(log) == 0, "nothing is replicated yet"
    replicate(log)
    assert delete_old_segments(log) == 1
    assert (log.log_start_offset, log.segments.base_offsets) == (4, [4])
    assert not (log.directory / f"{0:020d}.log").exists()


def test_old_segments_are_deleted_by_size(tmp_path: Path) -> None:
    """The oldest, as long as the others have ``retention.bytes``."""
    log = open_log(tmp_path, segment_bytes=250, retention_bytes=300, retention_ms=-1)
    for _ in range(8):
        log.append_as_leader(batch(2), 0)
    replicate(log)
    delete_old_segments(log)
    assert log.segments.size_bytes >= 300
    assert log.log_start_offset == log.segments.base_offsets[0] > 0


def test_an_expired_log_continues_in_a_new_segment(tmp_path: Path) -> None:
    """The active segment is deleted, too; offsets continue."""
    clock = StillClock()
    log = open_log(tmp_path, clock=clock, retention_ms=1000)
    log.append_as_leader(batch(2), 0)
    replicate(log)
    clock.time_ms += 2000
    assert delete_old_segments(log) == 1
    assert (log.log_start_offset, log.log_end_offset) == (2, 2)
    assert log.append_as_leader(batch(1, timestamp=clock.time_ms), 0).first_offset == 2


def test_segments_below_the_log_start_are_deleted_with_any_policy(tmp_path: Path) -> None:
    """After DeleteRecords, also on compacted topics."""
    log = open_log(tmp_path, segment_bytes=250, cleanup_policy=("compact",))
    for _ in range(4):
        log.append_as_leader(batch(2, key=b"k", size=8), 0)
    replicate(log)
    assert delete_old_segments(log) == 0
    log.maybe_increment_log_start_offset(5)
    assert delete_old_segments(log) == 1


def test_records_without_timestamps_are_as_old_as_their_file(tmp_path: Path) -> None:
    """As in Kafka (``LogSegment.largestTimestamp``)."""
    clock = StillClock(time.time_ns() // 1_000_000)
    log = open_log(tmp_path, clock=clock, segment_bytes=100, retention_ms=60_000)
    for _ in range(3):
        log.append_as_leader(batch(timestamp=-1), 0)
    replicate(log)
    assert delete_old_segments(log) == 0
    clock.time_ms += 120_000
    assert delete_old_segments(log) == 3
    assert log.log_start_offset == 3


def test_an_open_transaction_does_not_prevent_the_deletion(tmp_path: Path) -> None:
    """Only the high watermark counts; the last stable offset becomes the log start."""
    log = open_log(tmp_path, segment_bytes=100, retention_ms=1000)
    log.append_as_follower(transactional(0, 0), 0)
    log.append_as_follower(batch(1, base_offset=2, timestamp=NOW_MS + 2000), 0)
    replicate(log)
    assert isinstance(log.clock, StillClock)
    log.clock.time_ms += 2000
    delete_old_segments(log)
    assert log.log_start_offset == log.last_stable_offset == 2
    log.append_as_follower(marker(3, abort=True), 0)
    replicate(log)
    assert log.last_stable_offset == 4
