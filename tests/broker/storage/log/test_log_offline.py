"""Tests of logs with failing disks or damaged files: `broker.storage.log.unified_log`."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.storage.log.offset_search import search_by_timestamp, search_max_timestamp
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_tasks import unload_if_idle
from broker.storage.retention import delete_old_segments
from broker.storage.validation.append import AppendRefused
from protocol.errors import ErrorCode
from tests.broker.storage.logs import (
    NOW_MS,
    FailingDisk,
    batch,
    open_log,
    read_all,
    replicate,
    searched,
)


def refused(log: UnifiedLog, records: memoryview) -> AppendRefused:
    with pytest.raises(AppendRefused) as refusal:
        log.append_as_leader(records, 0)
    return refusal.value


def test_a_full_disk_takes_the_log_offline(tmp_path: Path) -> None:
    """A short write is undone, and every use is refused until the log is opened again."""
    disk = FailingDisk()
    log = open_log(tmp_path, disk=disk)
    log.append_as_leader(batch(2), 0)
    replicate(log)
    log.read(0, 1 << 20, log.log_end_offset_metadata, True)
    size = log.segments.size_bytes
    disk.room = 30
    assert refused(log, batch(2)).error is ErrorCode.KAFKA_STORAGE_ERROR
    assert (log.log_end_offset, log.segments.size_bytes) == (2, size)
    assert (log.directory / f"{0:020d}.log").stat().st_size == size
    disk.room = 1 << 20
    assert refused(log, batch(2)).error is ErrorCode.KAFKA_STORAGE_ERROR
    again = open_log(tmp_path)
    again.append_as_leader(batch(2), 0)
    assert [record.offset for record in read_all(again)] == [0, 1, 2, 3]


def test_a_log_that_finds_no_descriptor_stays_online(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The append is refused and does not change the log; the next one may find a descriptor."""
    disk = FailingDisk()
    log = open_log(tmp_path, disk=disk)
    log.append_as_leader(batch(2), 0)
    disk.close_files()

    def no_descriptor(*_: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", no_descriptor)
        assert refused(log, batch(2)).error is ErrorCode.KAFKA_STORAGE_ERROR
    log.append_as_leader(batch(2), 0)

    assert disk.failure is None
    replicate(log)
    assert [record.offset for record in read_all(log)] == [0, 1, 2, 3]


USES: dict[str, Callable[[UnifiedLog], object]] = {
    "read": lambda log: log.read(0, 1 << 20, log.log_end_offset_metadata, True),
    "read at the end": lambda log: log.read(4, 1 << 20, log.log_end_offset_metadata, True),
    "look up": lambda log: log.offset_metadata(2),
    "by timestamp": lambda log: searched(search_by_timestamp(log, NOW_MS)),
    "largest timestamp": lambda log: searched(search_max_timestamp(log)),
    "aborted transactions": lambda log: log.aborted_transactions(0, 4),
    "truncate": lambda log: log.truncate_to(2),
    "truncate fully": lambda log: log.truncate_fully_and_start_at(9),
    "delete records": lambda log: log.maybe_increment_log_start_offset(2),
    "retention": lambda log: delete_old_segments(log, 1),
    "new epoch": lambda log: log.begin_epoch(1),
    "unload": unload_if_idle,
}


@pytest.mark.parametrize("use", USES)
def test_an_offline_log_refuses_every_use(tmp_path: Path, use: str) -> None:
    """With KAFKA_STORAGE_ERROR, even if the data is in memory."""
    disk = FailingDisk()
    log = open_log(tmp_path, disk=disk)
    for _ in range(2):
        log.append_as_leader(batch(2), 0)
    replicate(log)
    log.read(0, 1 << 20, log.log_end_offset_metadata, True)
    disk.fail("another log", OSError(5, "Input/output error"))
    with pytest.raises(ApiError) as error:
        USES[use](log)
    assert error.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    with pytest.raises(AppendRefused):
        log.append_as_follower(batch(2, base_offset=4), 0)


def test_an_unreadable_file_takes_the_log_offline(tmp_path: Path) -> None:
    """The failed read is KAFKA_STORAGE_ERROR."""
    disk = FailingDisk()
    log = open_log(tmp_path, disk=disk)
    log.append_as_leader(batch(2), 0)
    disk.unreadable = True
    with pytest.raises(ApiError) as error:
        log.read(0, 1 << 20, log.log_end_offset_metadata, True)
    assert error.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    assert disk.failure is not None


def test_a_corrupt_batch_is_an_error_code(tmp_path: Path) -> None:
    """The bytes changed after they were written; the broker continues."""
    log = open_log(tmp_path)
    for _ in range(3):
        log.append_as_leader(batch(2), 0)
    replicate(log)
    unload_if_idle(log)
    unload_if_idle(log)
    with (log.directory / f"{0:020d}.log").open("r+b") as file:
        file.seek(len(batch(2)) + 8)
        file.write(b"\0\0\0\1")
    with pytest.raises(ApiError, match="there is no batch at position") as error:
        log.read(4, 1 << 20, log.log_end_offset_metadata, True)
    assert error.value.code is ErrorCode.CORRUPT_MESSAGE


def test_a_roll_that_fails_takes_the_log_offline(tmp_path: Path) -> None:
    """No acknowledged record is lost."""
    disk = FailingDisk()
    log = open_log(tmp_path, disk=disk, segment_bytes=250)
    for _ in range(2):
        log.append_as_leader(batch(2), 0)
    disk.broken = True
    assert refused(log, batch(2)).error is ErrorCode.KAFKA_STORAGE_ERROR
    again = open_log(tmp_path, segment_bytes=250)
    again.append_as_leader(batch(2), 0)
    assert again.segments.base_offsets == [0, 4]
    assert len(read_all(again)) == 6
