"""What becomes of a log without anybody asking: `broker.storage.log_upkeep`."""

from __future__ import annotations

import time
from pathlib import Path

from broker.storage.log_upkeep import LastBatch
from protocol.record_batch.batch import batches
from tests.broker.storage.logs import (
    FailingDisk,
    StillClock,
    batch,
    open_log,
    read_all,
    replicate,
)


def test_flush_messages_syncs_in_time(tmp_path: Path) -> None:
    """With ``flush.messages`` the disk has everything each time so many have been appended."""
    disk = FailingDisk()
    log = open_log(tmp_path, disk=disk, flush_messages=3)
    log.append_as_leader(batch(2), 0)
    assert (log.recovery_point, disk.syncs) == (0, 0)
    log.append_as_leader(batch(1), 0)
    assert log.recovery_point == 3
    assert disk.syncs


def test_flush_ms_syncs_what_has_waited_so_long(tmp_path: Path) -> None:
    """When somebody looks for it."""
    disk, clock = FailingDisk(), StillClock()
    log = open_log(tmp_path, disk=disk, clock=clock, flush_ms=1000)
    log.append_as_leader(batch(2), 0)
    clock.time_ms += 999
    log.flush_if_due()
    assert log.recovery_point == 0
    clock.time_ms += 1
    log.flush_if_due()
    assert log.recovery_point == 2
    synced = disk.syncs
    clock.time_ms += 5000
    log.flush_if_due()
    assert disk.syncs == synced, "nothing is new"


def test_a_roll_makes_the_old_segment_safe(tmp_path: Path) -> None:
    """A crash need not be recovered from further back."""
    log = open_log(tmp_path, segment_bytes=250)
    for _ in range(3):
        log.append_as_leader(batch(2), 0)
    assert (log.segment_base_offsets, log.recovery_point) == ([0, 4], 4)


def test_old_segments_go_by_time(tmp_path: Path) -> None:
    """A segment whose youngest record is older than ``retention.ms`` is removed."""
    clock = StillClock()
    log = open_log(tmp_path, clock=clock, segment_bytes=250, retention_ms=1000)
    for _ in range(2):
        log.append_as_leader(batch(2), 0)
    clock.time_ms += 2000
    log.append_as_leader(batch(2, timestamp=clock.time_ms), 0)
    assert log.delete_old_segments() == 0, "nothing is replicated yet"
    replicate(log)
    assert log.delete_old_segments() == 1
    assert (log.log_start_offset, log.segment_base_offsets) == (4, [4])
    assert not (log.directory / f"{0:020d}.log").exists()


def test_old_segments_go_by_size(tmp_path: Path) -> None:
    """The oldest go while the rest still has ``retention.bytes``."""
    log = open_log(tmp_path, segment_bytes=250, retention_bytes=300, retention_ms=-1)
    for _ in range(8):
        log.append_as_leader(batch(2), 0)
    replicate(log)
    log.delete_old_segments()
    assert log.size_bytes >= 300
    assert log.log_start_offset == log.segment_base_offsets[0] > 0


def test_a_log_wholly_expired_goes_on_in_a_new_segment(tmp_path: Path) -> None:
    """Also the active segment is removed; offsets go on."""
    clock = StillClock()
    log = open_log(tmp_path, clock=clock, retention_ms=1000)
    log.append_as_leader(batch(2), 0)
    replicate(log)
    clock.time_ms += 2000
    assert log.delete_old_segments() == 1
    assert (log.log_start_offset, log.log_end_offset) == (2, 2)
    assert log.append_as_leader(batch(1, timestamp=clock.time_ms), 0).first_offset == 2


def test_segments_below_the_log_start_go_whatever_the_policy(tmp_path: Path) -> None:
    """DeleteRecords frees whole segments, on compacted topics too."""
    log = open_log(tmp_path, segment_bytes=250, cleanup_policy=("compact",))
    for _ in range(4):
        log.append_as_leader(batch(2, key=b"k", size=8), 0)
    replicate(log)
    assert log.delete_old_segments() == 0
    log.maybe_increment_log_start_offset(5)
    assert log.delete_old_segments() == 1


def test_an_idle_log_answers_as_before(tmp_path: Path) -> None:
    """It only holds less in memory."""
    log = open_log(tmp_path, index_interval_bytes=0)
    for _ in range(5):
        log.append_as_leader(batch(2), 0)
    for _ in range(2):
        log.rest()
    assert [record.offset for record in read_all(log)] == list(range(10))
    log.append_as_leader(batch(2), 0)
    assert len(read_all(log)) == 12


def test_segments_change_places_only_with_those_that_are_there(tmp_path: Path) -> None:
    """The high watermark's place is looked up anew."""
    log = open_log(tmp_path, segment_bytes=250)
    for _ in range(6):
        log.append_as_leader(batch(2), 0)
    log.update_high_watermark(log.offset_metadata(6))
    old = [segment for segment, _ in log.segments.inactive()]
    new = log.new_segment(0, ".cleaned")
    for segment in old:
        data = memoryview(segment.read(0, segment.size))
        for at, header in batches(data):
            batch_bytes = data[at : at + header.size]
            new.append(batch_bytes, [(header.size, header.last_offset, header.max_timestamp)])
    assert log.replace_segments(old, new)
    assert log.segment_base_offsets == [0, 8]
    assert log.high_watermark_metadata.segment_base_offset == 0
    assert [record.offset for record in read_all(log)] == list(range(12))
    assert not log.replace_segments(old, new)


def test_silent_producers_are_forgotten(tmp_path: Path) -> None:
    """When their time is over, and somebody looks."""
    clock = StillClock()
    log = open_log(tmp_path, clock=clock, producer_id_expiration_ms=1000)
    sent = [batch(1, producer_id=3, producer_epoch=0, base_sequence=0) for _ in range(2)]
    log.append_as_leader(sent[0], 0)
    assert log.last_batches_of_producers() == {3: LastBatch(0, 0)}
    clock.time_ms += 1000
    log.forget_producers()
    assert log.last_batches_of_producers() == {}
    assert not log.append_as_leader(sent[1], 0).duplicate


def test_records_without_timestamps_are_as_old_as_their_file(tmp_path: Path) -> None:
    """As in Kafka (``LogSegment.largestTimestamp``); they were not born in 1969."""
    clock = StillClock(time.time_ns() // 1_000_000)
    log = open_log(tmp_path, clock=clock, segment_bytes=100, retention_ms=60_000)
    for _ in range(3):
        log.append_as_leader(batch(timestamp=-1), 0)
    replicate(log)
    assert log.delete_old_segments() == 0
    clock.time_ms += 120_000
    assert log.delete_old_segments() == 3
    assert log.log_start_offset == 3


def test_a_log_without_records_needs_no_snapshot(tmp_path: Path) -> None:
    """Kafka writes none either."""
    log = open_log(tmp_path)
    log.close()
    assert not list(log.directory.glob("*.snapshot"))
