"""The ``.snapshot`` files: the producers of a log up to the offset in the file's name.

A snapshot is taken when a segment is rolled and when the log is closed, so that opening the log
does not read all batches. `PackedProducers` has the format.
"""

from __future__ import annotations

import logging
import os
import struct
from collections.abc import Callable, Iterable
from pathlib import Path

from broker.storage.files.disk import Disk, read_small_file
from broker.storage.producers.packed_producers import COUNT, ENTRY, HEAD, VERSION
from broker.storage.producers.producer_state_entry import BatchMetadata, ProducerStateEntry
from protocol.record_batch.crc import crc32c

logger = logging.getLogger(__name__)

SUFFIX = ".snapshot"


class CorruptSnapshot(Exception):  # noqa: N818 - it names what the file is
    """A snapshot that is incomplete, damaged or of an unknown version."""


def snapshot_path(directory: Path, offset: int) -> Path:
    """The path of the snapshot up to *offset*."""
    return directory / f"{offset:020d}{SUFFIX}"


class Snapshots:
    """The snapshots of one log, by ``offsets``; *names* are the files in its directory."""

    def __init__(self, directory: Path, disk: Disk, names: Iterable[str] | None = None) -> None:
        self._directory = directory
        self._disk = disk
        names = os.listdir(directory) if names is None else names
        stems = (name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))
        self.offsets = sorted(int(stem) for stem in stems if stem.isdecimal())

    def keep(self, wanted: Callable[[int], bool]) -> None:
        """Remove the snapshots for which *wanted* returns False. Raises OSError."""
        for offset in self.offsets:
            if not wanted(offset):
                self._disk.remove(snapshot_path(self._directory, offset))
        self.offsets = [offset for offset in self.offsets if wanted(offset)]

    def latest(self, start: int, end: int) -> tuple[int, list[ProducerStateEntry]] | None:
        """The latest valid one after *start* and up to *end*; an invalid one is removed."""
        for offset in reversed(self.offsets):
            if start < offset <= end:
                path = snapshot_path(self._directory, offset)
                try:
                    return offset, read_snapshot(path)
                except CorruptSnapshot as error:
                    logger.warning("%s; the snapshot is removed", error)
                    self._disk.remove(path)
                    self.offsets.remove(offset)
        return None


def read_snapshot(path: Path) -> list[ProducerStateEntry]:
    """The producers in a snapshot; raises `CorruptSnapshot`."""
    data = read_small_file(path)
    try:
        version, crc = HEAD.unpack_from(data)
        body = memoryview(data)[HEAD.size :]
        if version != VERSION or crc != crc32c(body):
            raise CorruptSnapshot(f"{path} is not a snapshot of version {VERSION}, or is damaged")
        (count,) = COUNT.unpack_from(body)
        rows = list(ENTRY.iter_unpack(body[COUNT.size :]))
    except struct.error:
        raise CorruptSnapshot(f"{path} is incomplete") from None
    if len(rows) != count:
        raise CorruptSnapshot(f"{path} has {len(rows)} entries instead of {count}")
    return [_entry(row) for row in rows]


def _entry(row: tuple[int, ...]) -> ProducerStateEntry:
    producer_id, epoch, sequence, offset, delta, timestamp, coordinator_epoch, first = row
    entry = ProducerStateEntry(producer_id, epoch, timestamp)
    if offset >= 0:
        entry.batches.append(BatchMetadata(sequence, offset, delta, timestamp))
    entry.coordinator_epoch = coordinator_epoch
    entry.current_txn_first_offset = first
    return entry
