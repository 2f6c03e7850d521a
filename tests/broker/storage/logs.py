"""What tests of storage begin with: a clock that stands still, batches, a disk that fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from broker.storage.disk import Disk
from broker.storage.log import Log
from broker.storage.log_config import LogConfig
from broker.topic_partition import TopicPartition
from protocol.records import Record, build_batch, records

NOW_MS = 1_700_000_000_000
ORDERS = TopicPartition("orders", 0)


class StillClock:
    """A clock that goes when a test says so."""

    def __init__(self, now_ms: int = NOW_MS) -> None:
        self.time_ms = now_ms

    def now_ms(self) -> float:
        return float(self.time_ms)

    def wall_ms(self) -> int:
        return self.time_ms

    def wall_us_at(self, now_ms: float) -> int:
        return int(now_ms * 1000)


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


def open_log(path: Path, *, clock: StillClock | None = None, **more: Any) -> Log:
    """The log of `ORDERS` under *path*; what is no argument of `Log.open` is a setting."""
    names = ("disk", "cache", "clean", "recovery_point", "log_start_offset", "high_watermark")
    arguments = {name: more.pop(name) for name in names if name in more}
    config = LogConfig(**more)
    return Log.open(path / str(ORDERS), ORDERS, config, clock or StillClock(), **arguments)


def replicate(log: Log) -> None:
    """Every replica has everything: the high watermark is at the log end."""
    log.update_high_watermark(log.end_metadata)


def read_all(log: Log, from_offset: int | None = None) -> list[Record]:
    """All records up to the log end."""
    offset = log.log_start_offset if from_offset is None else from_offset
    found: list[Record] = []
    while offset < log.log_end_offset:
        data = log.read(offset, 1, log.end_metadata, True).records
        if not data:
            break
        found += [record for record in records(data) if record.offset >= offset]
        offset = found[-1].offset + 1
    return found


class FailingDisk(Disk):
    """A disk with room for ``room`` more bytes; ``broken`` fails every write, sync or cut."""

    def __init__(self, room: int = 1 << 40) -> None:
        super().__init__()
        self.room = room
        self.broken = False
        self.syncs = 0

    def pwrite(self, fd: int, data: Any, position: int) -> int:
        if self.broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.pwrite(fd, memoryview(data)[: self.room], position)
        self.room -= written
        return written

    def ftruncate(self, fd: int, size: int) -> None:
        if self.broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        os.ftruncate(fd, size)

    def fsync(self, fd: Any) -> None:
        if self.broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self.syncs += 1
