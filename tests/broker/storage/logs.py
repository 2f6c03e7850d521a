"""For tests of storage: a clock, batches, logs, and a disk that fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.storage.directories.log_manager import LogManager
from broker.storage.files.disk import Disk, DiskFile
from broker.storage.files.open_files import OpenFiles
from broker.storage.log.open_log import open_log as open_unified_log
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.segments.timestamp_search import Search, TimestampAndOffset
from protocol.compression import Codec
from protocol.record_batch.batch import build_batch, records
from protocol.record_batch.control import EndTxnMarker, build_end_txn_marker
from protocol.record_batch.filter import filter_batch
from protocol.record_batch.header import TRANSACTIONAL_BIT, read_header
from protocol.record_batch.record import Record

NOW_MS = 1_700_000_000_000
SEGMENT_BYTES = 500
ORDERS = TopicPartition("orders", 0)
TOPIC_ID = UUID(int=7)


class StillClock:
    """A clock that a test advances."""

    def __init__(self, now_ms: int = NOW_MS) -> None:
        self.time_ms = now_ms

    def now_ms(self) -> float:
        return float(self.time_ms)

    def wall_ms(self) -> int:
        return self.time_ms

    def wall_us_at(self, now_ms: float) -> int:
        return int(now_ms * 1000)

    def seconds_until(self, time_ms: float) -> float:
        return (time_ms - self.time_ms) / 1000


def batch(
    count: int = 1,
    *,
    size: int = 10,
    key: bytes | None = None,
    timestamp: int = NOW_MS,
    **header: Any,
) -> memoryview:
    """A producer's batch of *count* equal records, writable as in a connection's buffer."""
    value = Record(key=key, value=b"v" * size, timestamp=timestamp)
    return memoryview(bytearray(build_batch([value] * count, **header)))


def batch_of(values: Sequence[Record], **header: Any) -> memoryview:
    """A producer's batch of these records, writable as in a connection's buffer."""
    return memoryview(bytearray(build_batch(values, **header)))


def transactional(
    offset: int, sequence: int, producer_id: int = 5, *, epoch: int = 0, **more: Any
) -> memoryview:
    """Two records of a transaction."""
    return batch(
        2,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
        base_offset=offset,
        attributes=TRANSACTIONAL_BIT,
        **more,
    )


def marker(
    offset: int,
    producer_id: int = 5,
    *,
    epoch: int = 0,
    abort: bool,
    coordinator_epoch: int = 7,
) -> memoryview:
    """The control batch that ends a transaction."""
    built = build_end_txn_marker(
        EndTxnMarker(abort, coordinator_epoch),
        producer_id=producer_id,
        producer_epoch=epoch,
        timestamp=NOW_MS,
        base_offset=offset,
    )
    return memoryview(bytearray(built))


def emptied(stored: memoryview) -> memoryview:
    """The batch without its records, as a compaction may leave it."""
    filtered = filter_batch(
        read_header(stored),
        stored,
        lambda _: False,
        horizon_ms=NOW_MS,
        needs_horizon=False,
        keep_empty=True,
    )
    assert filtered is not None
    return memoryview(filtered)


def open_log(path: Path, *, clock: StillClock | None = None, **more: Any) -> UnifiedLog:
    """Open the log of `ORDERS` below *path*; other arguments are its configuration."""
    names = (
        "disk",
        "cache",
        "clean",
        "recovery_point",
        "log_start_offset",
        "high_watermark",
        "producer_config",
        "snapshot_writer",
    )
    arguments = {name: more.pop(name) for name in names if name in more}
    config = LogConfig(**more)
    return open_unified_log(path / str(ORDERS), ORDERS, config, clock or StillClock(), **arguments)


def written(path: Path) -> UnifiedLog:
    """Ten batches of two records in several segments, by one producer in two epochs."""
    log = open_log(path, segment_bytes=SEGMENT_BYTES, index_interval_bytes=100)
    for number in range(10):
        sent = batch(
            2,
            producer_id=1,
            producer_epoch=0,
            base_sequence=number * 2,
            codec=Codec(number % 5),
        )
        log.append_as_leader(sent, number // 5)
    return log


def died(log: UnifiedLog) -> Path:
    """A copy of the log's directory, as after the end of a killed process."""
    return log.directory.parent


def reopened(path: Path, **more: Any) -> UnifiedLog:
    return open_log(path, segment_bytes=SEGMENT_BYTES, index_interval_bytes=100, **more)


def replicate(log: UnifiedLog) -> None:
    """Raise the high watermark to the log end."""
    log.update_high_watermark(log.log_end_offset_metadata)


def read_all(log: UnifiedLog, from_offset: int | None = None) -> list[Record]:
    """All records up to the log end."""
    offset = log.log_start_offset if from_offset is None else from_offset
    found: list[Record] = []
    while offset < log.log_end_offset:
        data = log.read(offset, 1, log.log_end_offset_metadata, True).records
        if not data:
            break
        found += [record for record in records(data) if record.offset >= offset]
        offset = read_header(data).next_offset
    return found


class FailingDisk(Disk):
    """A disk with room for ``room`` more bytes.

    ``broken`` fails every call, ``unsyncable`` every sync, ``unreadable`` every read.
    """

    def __init__(self, room: int = 1 << 40, open_files: OpenFiles[DiskFile] | None = None) -> None:
        super().__init__(open_files)
        self.room = room
        self.broken = self.unsyncable = self.unreadable = False
        self.syncs = self.truncations = 0

    def pwrite(self, fd: int, data: Any, position: int) -> int:
        fail_if(self.broken)
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.pwrite(fd, memoryview(data)[: self.room], position)
        self.room -= written
        return written

    def pread(self, fd: int, size: int, position: int) -> bytes:
        fail_if(self.unreadable)
        return os.pread(fd, size, position)

    def make_directory(self, path: Path) -> None:
        fail_if(self.broken)
        super().make_directory(path)

    def ftruncate(self, fd: int, size: int) -> None:
        fail_if(self.broken)
        self.truncations += 1
        os.ftruncate(fd, size)

    def fsync(self, fd: Any) -> None:
        fail_if(self.broken or self.unsyncable)
        self.syncs += 1


def fail_if(broken: bool) -> None:
    """The error of a failing disk."""
    if broken:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def manager_at(
    *paths: Path, disks: Sequence[FailingDisk | None] = (), durable: bool = False
) -> LogManager:
    """A manager of these directories, which use *disks* in this order."""
    given = iter(disks)
    return LogManager(
        list(paths),
        StillClock(),
        node_id=1,
        cluster_id="c",
        make_disk=lambda files: next(given, None) or Disk(files),
        durable=durable,
    )


def host(
    manager: LogManager, key: TopicPartition = ORDERS, topic_id: UUID = TOPIC_ID
) -> UnifiedLog:
    """Open or make the log of *key*."""
    return manager.get_or_create(key, topic_id, LogConfig(segment_bytes=300))


def searched(search: Search) -> TimestampAndOffset | None:
    """The result of a search whose batches are examined immediately."""
    found: TimestampAndOffset | None = None
    while True:
        try:
            examination = search.send(found)
        except StopIteration as end:
            result: TimestampAndOffset | None = end.value
            return result
        found = None if examination is None else examination.first_record()
