"""Tests of flushes, rolls and snapshots: `broker.storage.log.unified_log`."""

from __future__ import annotations

from pathlib import Path

from broker.storage.producers.producer_state import DefaultProducerConfig
from broker.storage.producers.producer_state_entry import LastRecord
from protocol.record_batch.batch import batches
from tests.broker.storage.logs import (
    FailingDisk,
    StillClock,
    batch,
    open_log,
    read_all,
)


def test_a_log_is_flushed_after_flush_messages(tmp_path: Path) -> None:
    """Each time so many records have been appended."""
    disk = FailingDisk()
    log = open_log(tmp_path, disk=disk, flush_messages=3)
    log.append_as_leader(batch(2), 0)
    assert (log.local_log.recovery_point, disk.syncs) == (0, 0)
    log.append_as_leader(batch(1), 0)
    assert log.local_log.recovery_point == 3
    assert disk.syncs


def test_a_log_is_flushed_after_flush_ms(tmp_path: Path) -> None:
    """When the task checks it."""
    disk, clock = FailingDisk(), StillClock()
    log = open_log(tmp_path, disk=disk, clock=clock, flush_ms=1000)
    log.append_as_leader(batch(2), 0)
    clock.time_ms += 999
    log.local_log.flush_if_due()
    assert log.local_log.recovery_point == 0
    clock.time_ms += 1
    log.local_log.flush_if_due()
    assert log.local_log.recovery_point == 2
    synced = disk.syncs
    clock.time_ms += 5000
    log.local_log.flush_if_due()
    assert disk.syncs == synced, "nothing is new"


def test_a_roll_flushes_the_old_segment(tmp_path: Path) -> None:
    """Recovery begins after it."""
    log = open_log(tmp_path, segment_bytes=250)
    for _ in range(3):
        log.append_as_leader(batch(2), 0)
    assert (log.segments.base_offsets, log.local_log.recovery_point) == ([0, 4], 4)


def test_an_idle_log_can_be_read_and_written(tmp_path: Path) -> None:
    """It only uses less memory."""
    log = open_log(tmp_path, index_interval_bytes=0)
    for _ in range(5):
        log.append_as_leader(batch(2), 0)
    for _ in range(2):
        log.local_log.unload_if_idle()
    assert [record.offset for record in read_all(log)] == list(range(10))
    log.append_as_leader(batch(2), 0)
    assert len(read_all(log)) == 12


def test_only_segments_of_the_log_are_replaced(tmp_path: Path) -> None:
    """The position of the high watermark is looked up again."""
    log = open_log(tmp_path, segment_bytes=250)
    for _ in range(6):
        log.append_as_leader(batch(2), 0)
    log.update_high_watermark(log.offset_metadata(6))
    old = [segment for segment, _ in log.segments.inactive()]
    new = log.local_log.new_segment(0, ".cleaned")
    for segment in old:
        data = memoryview(segment.read(0, segment.size))
        for at, header in batches(data):
            batch_bytes = data[at : at + header.size]
            new.append(batch_bytes, [(header.size, header.last_offset, header.max_timestamp)])
    log.local_log.replace(old, new)
    log.forget_positions()
    assert log.segments.base_offsets == [0, 8]
    assert log.high_watermark_metadata.segment_base_offset == 0
    assert [record.offset for record in read_all(log)] == list(range(12))
    assert not log.local_log.has_all(old)


def test_expired_producers_are_removed(tmp_path: Path) -> None:
    """A batch of such a producer is accepted as new."""
    clock = StillClock()
    log = open_log(tmp_path, clock=clock, producer_config=DefaultProducerConfig(1000))
    sent = [batch(1, producer_id=3, producer_epoch=0, base_sequence=0) for _ in range(2)]
    log.append_as_leader(sent[0], 0)
    assert log.producer_state_manager.last_records() == {3: LastRecord(0, 0)}
    clock.time_ms += 1000
    log.producer_state_manager.remove_expired(clock.wall_ms())
    assert log.producer_state_manager.last_records() == {}
    assert not log.append_as_leader(sent[1], 0).duplicate


def test_a_log_without_records_has_no_snapshot(tmp_path: Path) -> None:
    """As in Kafka."""
    log = open_log(tmp_path)
    log.close()
    assert not list(log.directory.glob("*.snapshot"))
