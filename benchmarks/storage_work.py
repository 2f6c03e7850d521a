"""The measurements of `benchmarks.storage`, each compared with plain files if possible.

Both sides alternate within a round and have the same bytes, the same page cache and the same disk,
so that their ratio is the cost of the log. Nothing is synced; a power failure would lose as much in
both cases.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.storage.directories.log_manager import LogManager
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from integration.machine.clock import MachineClock
from protocol.record_batch.batch import build_batch
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.record import Record

BATCH_BYTES = 16 * 1024
FETCH_BYTES = 1024 * 1024
MEGABYTE = 1024 * 1024
_PAGE = os.sysconf("SC_PAGE_SIZE")


def sent(records: int, *, alike: bool = True) -> bytes:
    """Return a batch of about 16 KB with so many records, of one size if they are *alike*."""
    size = (BATCH_BYTES - HEADER_BYTES) // records - 12
    now_ms = MachineClock().wall_ms()
    chance = random.Random(records)
    sizes = [size if alike else chance.randrange(size * 2) for _ in range(records)]
    return build_batch([Record(None, os.urandom(each), timestamp=now_ms) for each in sizes])


@contextmanager
def managed(path: Path) -> Iterator[LogManager]:
    """The logs in a directory, closed in order at the end."""
    manager = managed_unclosed(path)
    try:
        yield manager
    finally:
        manager.close()


def managed_unclosed(path: Path) -> LogManager:
    """The logs in a directory, not closed, to simulate a crash."""
    return LogManager(path, MachineClock(), node_id=1, cluster_id="benchmark", durable=False)


def log_of(manager: LogManager, number: int = 0, config: LogConfig | None = None) -> UnifiedLog:
    """A partition whose records are all replicated."""
    key = TopicPartition("bench", number)
    log = manager.get_or_create(key, UUID(int=1), config or LogConfig())
    log.update_high_watermark(log.log_end_offset_metadata)
    return log


def seconds(work: Callable[[], object]) -> float:
    """Return the duration."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def append_ratio(folder: Path, megabytes: int, records: int, *, alike: bool = True) -> float:
    """Bytes a second of appends, as a share of those of plain writes: a megabyte each, alternately.

    The median of all rounds, because the kernel is sometimes busy with other work.
    """
    batch = sent(records, alike=alike)
    count = MEGABYTE // len(batch)
    ratios = []
    with managed(folder / "logs") as manager, opened(folder / "plain") as fd:
        log = log_of(manager)
        for _ in range(megabytes):
            plain = seconds(lambda: write_plain(fd, batch, count))
            ratios.append(plain / seconds(lambda: append(log, batch, count)))
    clear(folder)
    return median(ratios)


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Open a new file for writing."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        yield fd
    finally:
        os.close(fd)


def write_plain(fd: int, data: bytes | memoryview, count: int) -> None:
    """Write to a plain file."""
    for _ in range(count):
        os.write(fd, data)


def append(log: UnifiedLog, batch: bytes, count: int) -> None:
    """Append as a leader does, from the buffer of a connection."""
    received = memoryview(bytearray(batch))
    head = batch[:HEADER_BYTES]
    for _ in range(count):
        received[:HEADER_BYTES] = head
        log.append_as_leader(received, 0)


def fetch_ratio(folder: Path, megabytes: int, *, cold: bool) -> float:
    """Bytes a second of sequential fetches, as a share of those of plain reads."""
    batch = sent(16)
    count = megabytes * MEGABYTE // len(batch)
    with opened(folder / "plain") as fd:
        write_plain(fd, batch, count)
    with managed(folder / "logs") as manager:
        append(log_of(manager), batch, count)
    with managed(folder / "logs") as manager:
        log = log_of(manager)
        paths = [folder / "plain", *log.directory.glob("*.log")]
        for path in paths:
            settle(path, forget=cold)
        plain = seconds(lambda: read_plain(folder / "plain"))
        ours = seconds(lambda: fetch_all(log, len(batch), 16))
    clear(folder)
    return plain / ours


def read_plain(path: Path) -> None:
    """Read a plain file."""
    fd = os.open(path, os.O_RDONLY)
    while os.read(fd, FETCH_BYTES):
        pass
    os.close(fd)


def fetch_all(log: UnifiedLog, batch_bytes: int, records: int) -> None:
    """Fetch as a consumer that reads a partition from its beginning."""
    offset = 0
    while offset < log.log_end_offset:
        found = log.read(offset, FETCH_BYTES, log.log_end_offset_metadata, True).records
        offset += len(found) // batch_bytes * records


def tail_share(folder: Path, fetches: int) -> float:
    """The share of the system call in a fetch of the last batch."""
    batch = sent(16)
    ours = plain = 0.0
    with managed(folder / "logs") as manager:
        log = log_of(manager)
        append(log, batch, 1)  # makes the file
        fd = os.open(next(log.directory.glob("*.log")), os.O_RDONLY)
        for number in range(1, fetches + 1):
            append(log, batch, 1)
            end = log.log_end_offset_metadata
            began = time.perf_counter()
            os.pread(fd, len(batch), number * len(batch))
            called = time.perf_counter()
            log.read(number * 16, FETCH_BYTES, end, True)
            ours += time.perf_counter() - called
            plain += called - began
        os.close(fd)
    clear(folder)
    return plain / ours


def copy_share(folder: Path, copies: int) -> float:
    """The duration of a copy of a batch, as a share of the system call that reads it."""
    batch = memoryview(bytearray(sent(16)))
    kept: list[bytes] = [b""] * 256
    with opened(folder / "plain") as fd:
        write_plain(fd, batch, 1)
    fd = os.open(folder / "plain", os.O_RDONLY)
    ratios = []
    for number in range(copies):
        began = time.perf_counter()
        kept[number % len(kept)] = bytes(batch)
        copied = time.perf_counter()
        os.pread(fd, len(batch), 0)
        ratios.append((copied - began) / (time.perf_counter() - copied))
    os.close(fd)
    clear(folder)
    return median(ratios)


def recovery_seconds(folder: Path, megabytes: int, *, cold: bool) -> float:
    """The time from the start on a log that was killed until it can be written to."""
    batch = sent(16)
    manager = managed_unclosed(folder / "logs")
    append(log_of(manager), batch, megabytes * MEGABYTE // len(batch))
    manager.crash()
    for path in (folder / "logs").glob("*/*.log"):
        settle(path, forget=cold)
    began = time.perf_counter()
    with managed(folder / "logs") as manager:
        log_of(manager)
        taken = time.perf_counter() - began
    clear(folder)
    return taken


def restart_seconds(folder: Path, partitions: int, megabytes: int) -> float:
    """The time from the start until all logs are open that were closed in order.

    Each has half of its bytes in an inactive segment. These are links to the same file, which a
    clean start does not read.
    """
    batch = sent(16)
    count = megabytes * MEGABYTE // partitions // len(batch)
    config = LogConfig(segment_bytes=(count // 2 + 1) * len(batch))
    with managed(folder / "logs") as manager:
        for number in range(partitions):
            append(log_of(manager, number, config), batch, count if not number else 1)
        first = log_of(manager).directory
    for number in range(1, partitions):
        other = first.with_name(f"bench-{number}")
        for path in other.glob("0*"):
            path.unlink()
        for path in first.glob("0*"):
            if path.name == f"{0:020d}.log":
                os.link(path, other / path.name)
            else:
                shutil.copy(path, other / path.name)
    # Otherwise the disk would still write the data of this measurement.
    os.sync()
    began = time.perf_counter()
    with managed(folder / "logs") as manager:
        for number in range(partitions):
            log_of(manager, number, config)
        taken = time.perf_counter() - began
        assert sum(log.segments.size_bytes for log in manager) >= 0.9 * megabytes * MEGABYTE
    clear(folder)
    return taken


def partition_bytes(folder: Path, partitions: int) -> float:
    """The memory of an unused partition, in a process that has some already."""
    with managed(folder / "logs") as manager:
        for number in range(600):
            log_of(manager, number)
        gc.collect()
        before = resident_bytes()
        for number in range(600, 600 + partitions):
            log_of(manager, number)
        gc.collect()
        grown = resident_bytes() - before
    clear(folder)
    return grown / partitions


def resident_bytes() -> int:
    """The memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def settle(path: Path, *, forget: bool) -> None:
    """Sync the disk, and with *forget* drop the files from the page cache."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    if forget:
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def clear(folder: Path) -> None:
    """Remove the files before the next figure."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
