"""Random operations on a disk whose calls fail: no acknowledged record is lost.

The failing call, its number and its error are random, too.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from broker.common.errors import ApiError
from broker.storage.cleaner.compaction import Compaction
from broker.storage.files.disk import Disk, DiskFile
from broker.storage.files.positional import Bytes
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.retention import delete_old_segments
from broker.storage.validation.append import AppendRefused
from protocol.errors import ErrorCode
from protocol.record_batch.batch import batches
from protocol.record_batch.header import check_crc
from protocol.record_batch.record import Record
from tests.broker.storage.logs import (
    NOW_MS,
    batch,
    batch_of,
    open_log,
    read_all,
    reopened,
    replicate,
)

FAULTS = (
    *("no space", "short write", "write error", "unsyncable", "unreadable", "no truncation"),
    *("no renaming", "no removal", "no opening", "anything"),
)
OPERATIONS = ("append", "append", "append", "roll", "flush", "read", "cut", "delete", "close")
SETTINGS: dict[str, Any] = {"segment_bytes": 500, "index_interval_bytes": 100}
COMPACTED: dict[str, Any] = {
    **SETTINGS,
    "cleanup_policy": ("compact",),
    "delete_retention_ms": 5,
}


class FaultyDisk(Disk):
    """Fails every call of one kind after a number of calls."""

    def __init__(self, fault: str, calls: int) -> None:
        super().__init__()
        self._fault = fault
        self._left = calls

    def _meets(self, *faults: str) -> bool:
        if self._fault not in (*faults, "anything"):
            return False
        self._left -= 1
        return self._left < 0

    def pwrite(self, fd: int, data: Any, position: int) -> int:
        if self._meets("write error"):
            raise OSError(errno.EIO, "broken")
        if self._meets("no space"):
            raise OSError(errno.ENOSPC, "full")
        if self._meets("short write"):
            self._fault = "no space"
            return os.pwrite(fd, memoryview(data)[: len(data) // 2], position)
        return os.pwrite(fd, data, position)

    def pread(self, fd: int, size: int, position: int) -> bytes:
        if self._meets("unreadable"):
            raise OSError(errno.EIO, "unreadable")
        return os.pread(fd, size, position)

    def ftruncate(self, fd: int, size: int) -> None:
        if self._meets("no truncation", "write error"):
            raise OSError(errno.EIO, "broken")
        os.ftruncate(fd, size)

    def fsync(self, fd: Any) -> None:
        if self._meets("unsyncable"):
            raise OSError(errno.EIO, "unsyncable")

    def open(self, file: DiskFile) -> int:
        if self._meets("no opening"):
            raise OSError(errno.EROFS, "not to be opened")
        return super().open(file)

    def replace(self, path: Path, content: Bytes, *, sync: bool = False) -> None:
        if self._meets("no opening", "no renaming"):
            raise OSError(errno.EROFS, "not to be replaced")
        super().replace(path, content, sync=sync)

    def rename(self, path: Path, to: Path) -> None:
        if self._meets("no renaming"):
            raise OSError(errno.EIO, "not to be renamed")
        super().rename(path, to)

    def remove(self, path: Path) -> None:
        if self._meets("no removal"):
            raise OSError(errno.EIO, "not to be removed")
        super().remove(path)


class Writer:
    """Runs operations, and knows which offsets must have records."""

    def __init__(self, log: UnifiedLog) -> None:
        self.log = log
        self.start = self.end = 0

    def do(self, operation: str) -> None:
        """Run one of `OPERATIONS`; raises the exceptions that a broker gets."""
        log = self.log
        if operation == "append":
            info = log.append_as_leader(batch(2), 0)
            self.end = info.last_offset + 1
        elif operation == "cut":
            # What is to be gone may be gone already when the disk fails.
            self.end = min(self.end, max(log.log_start_offset, self.end - 3) // 2 * 2)
            log.truncate_to(self.end)
        elif operation == "delete":
            replicate(log)
            self.start = max(self.start, self.end - 6)
            log.maybe_increment_log_start_offset(self.start)
            delete_old_segments(log)
        elif operation == "read":
            assert [record.offset for record in read_all(log)] == list(
                range(log.log_start_offset, self.end)
            )
        elif operation == "close":
            log.close()
        else:
            {"roll": log.roll, "flush": log.local_log.flush}[operation]()


@settings(max_examples=60)
@given(
    fault=st.sampled_from(FAULTS),
    calls=st.integers(0, 25),
    operations=st.lists(st.sampled_from(OPERATIONS), min_size=5, max_size=30),
)
@example("no renaming", 3, ["append", "append", "append", "cut", "roll", "cut"])
@example("unsyncable", 0, ["append", "flush"])
def test_acknowledged_records_survive_the_fault(
    fault: str, calls: int, operations: list[str]
) -> None:
    """The fault is an error code; then the log is opened on a disk without faults."""
    with TemporaryDirectory() as folder:
        path = Path(folder)
        disk = FaultyDisk(fault, calls)
        try:
            writer = Writer(open_log(path, disk=disk, **SETTINGS))
        except OSError:
            return
        for operation in operations:
            try:
                writer.do(operation)
            except (ApiError, AppendRefused) as refused:
                code = refused.code if isinstance(refused, ApiError) else refused.error
                assert code is ErrorCode.KAFKA_STORAGE_ERROR
                assert disk.failure is not None
                break
            except OSError:
                assert operation in ("roll", "flush", "close"), "these do not convert it"
                break
            if operation == "close":
                break
        disk.abandon(OSError(errno.EIO, "dead"))
        log = reopened(path, log_start_offset=writer.start)
        found = [record.offset for record in read_all(log)]
        assert found == list(range(log.log_start_offset, log.log_end_offset))
        assert log.log_start_offset <= writer.start
        assert log.log_end_offset >= writer.end
        for segment in log.segments:
            data = segment.read(0, segment.size)
            for position, header in batches(data):
                assert check_crc(memoryview(data)[position : position + header.size], header)
        assert log.append_as_leader(batch(1), 1).first_offset == (
            found[-1] + 1 if found else log.log_start_offset
        )


@settings(max_examples=80)
@given(fault=st.sampled_from(FAULTS), calls=st.integers(0, 800))
def test_compacted_records_survive_the_fault(fault: str, calls: int) -> None:
    """The latest record of each key is read, and no deleted one, whichever call fails."""
    with TemporaryDirectory() as folder:
        path, disk = Path(folder), FaultyDisk(fault, calls)
        expected: dict[bytes, bytes | None] = {}
        refused: bytes | None = b""
        with suppress(OSError, ApiError, AppendRefused):
            log = open_log(path, disk=disk, **COMPACTED)
            for number in range(40):
                key = refused = b"%d" % (number % 7)
                value = b"%d" % number if number % 5 else None
                log.append_as_leader(batch_of([Record(key, value, timestamp=NOW_MS)]), 0)
                expected[key] = value
                if number % 13 == 12:
                    compact(log, NOW_MS + number)
            refused = None
        disk.abandon(OSError(errno.EIO, "dead"))
        found = read_all(open_log(path, **COMPACTED))
        assert [each.offset for each in found] == sorted({each.offset for each in found})
        latest = {each.key: each.value for each in found if each.key is not None}
        if refused is not None:
            # It may have reached the disk.
            expected[refused] = latest[refused] = None
        assert {k: v for k, v in latest.items() if v} == {k: v for k, v in expected.items() if v}


def compact(log: UnifiedLog, now_ms: int) -> None:
    """Compact all but the active segment, with its syncs."""
    replicate(log)
    end = log.segments.active.base_offset
    for step in Compaction(log, log.first_dirty_offset, end, now_ms).steps():
        step.run()
