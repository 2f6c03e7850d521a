"""Loads the segments of a log from its directory (Kafka's ``LogLoader``).

After a clean shutdown the files are used as they are, unless they cannot be right. Otherwise
`broker.storage.log.log_recovery` checks every batch from the recovery point on. Missing or damaged
indexes, leader epochs, producers and transactions are rebuilt from the batches.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection
from pathlib import Path

from broker.storage.files.checkpoints import CorruptCheckpoint
from broker.storage.files.disk import Disk
from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log.leader_epoch_file_cache import FILE_NAME as LEADER_EPOCHS
from broker.storage.log.leader_epoch_file_cache import LeaderEpochFileCache
from broker.storage.log.log_recovery import Progress, Recovery
from broker.storage.log_config import LogConfig
from broker.storage.producers.producer_snapshot import Snapshots
from broker.storage.producers.producer_state import ProducerStateManager
from broker.storage.segments.log_segments import LogSegments
from broker.storage.segments.segment import CLEANED, DELETED, SWAP, LogSegment
from protocol.corrupt_records import CorruptRecords
from protocol.lazy_dataclass import dataclass

logger = logging.getLogger(__name__)

# Suffixes of files that remain if the process ends while it replaces or deletes them.
_UNFINISHED = (DELETED, CLEANED, ".tmp")


@dataclass(slots=True)
class LoadedLog:
    """The segments, leader epochs and offsets of a loaded log.

    ``recovery_point`` is that of the checkpoint, which may be above ``next_offset``.
    """

    segments: LogSegments
    epochs: LeaderEpochFileCache
    log_start_offset: int
    next_offset: int
    recovery_point: int


def load_log(
    directory: Path,
    config: LogConfig,
    disk: Disk,
    producers: ProducerStateManager,
    *,
    clean: bool,
    recovery_point: int,
    log_start_offset: int,
    now_ms: int,
    progress: Progress | None = None,
) -> LoadedLog:
    """Load *directory*, and the state of *producers*. Raises OSError."""
    names = _prepared(directory, config, disk, now_ms)
    base_offsets = _base_offsets(directory, disk, names)
    try:
        epochs = LeaderEpochFileCache(directory, disk, exists=LEADER_EPOCHS in names)
    except CorruptCheckpoint as error:
        logger.warning("%s; rebuilding it from all batches", error)
        epochs = LeaderEpochFileCache.recreate(directory, disk)
        clean, recovery_point = False, 0
    segments = [
        LogSegment(directory, base_offset, config, disk, now_ms) for base_offset in base_offsets
    ]
    recovery = Recovery(segments, epochs, progress or Progress())
    if clean:
        for segment in segments:
            recovery.check_files(segment)
    else:
        recovery.run(recovery_point)
    if not segments:
        segments.append(_first_segment(directory, log_start_offset, config, disk, now_ms))
    found = LogSegments(segments)
    next_offset = _end_of(found.active, recovery)
    log_start_offset = max(log_start_offset, found.first.base_offset)
    if next_offset < log_start_offset:
        found, next_offset = _restart(found, directory, config, disk, log_start_offset, now_ms)
    epochs.opened(log_start_offset, next_offset, clean=clean)
    snapshots = Snapshots(directory, disk, names)
    _remove_stray_snapshots(snapshots, found)
    if recovery.transactional is not None:
        first = recovery.transactional.base_offset
        rebuild_transactions(snapshots, found, first, producers, log_start_offset, now_ms)
    load_producers(snapshots, found, producers, log_start_offset, next_offset, now_ms)
    recovery_point = next_offset if clean else recovery_point
    return LoadedLog(found, epochs, log_start_offset, next_offset, recovery_point)


def _first_segment(
    directory: Path, log_start_offset: int, config: LogConfig, disk: Disk, now_ms: int
) -> LogSegment:
    """The segment of an empty log. Unless its name has an offset, the first append makes its files.

    A directory without segments is an empty log for Kafka too, and most of the time that a new
    partition takes is that of its files.
    """
    if log_start_offset:
        return LogSegment.create(directory, log_start_offset, config, disk, now_ms)
    return LogSegment(directory, 0, config, disk, now_ms)


def load_producers(
    snapshots: Snapshots,
    segments: LogSegments,
    producers: ProducerStateManager,
    log_start_offset: int,
    end_offset: int,
    now_ms: int,
) -> None:
    """Rebuild *producers* up to *end_offset* from the latest snapshot and the batches after it.

    Snapshots up to *log_start_offset* are removed: producers whose batches are all deleted are
    forgotten (Kafka's ``ProducerStateManager.truncateAndReload``). Raises OSError.
    """
    snapshots.keep(lambda offset: log_start_offset < offset <= end_offset)
    start = _load_snapshot(snapshots, producers, log_start_offset, end_offset, now_ms)
    if start == end_offset:
        return
    for segment in segments.from_offset(start):
        replay(segment, producers, start)
    producers.remove_expired(now_ms)
    producers.map_end_offset = end_offset


def rebuild_transactions(
    snapshots: Snapshots,
    segments: LogSegments,
    first: int,
    producers: ProducerStateManager,
    log_start_offset: int,
    now_ms: int,
) -> None:
    """Rebuild the transaction indexes of the segments from base offset *first* on."""
    start = _load_snapshot(snapshots, producers, log_start_offset, first, now_ms)
    for segment in segments.from_offset(start):
        aborted = replay(segment, producers, start)
        if segment.base_offset >= first:
            segment.transactions.replace(aborted)


def _load_snapshot(
    snapshots: Snapshots,
    producers: ProducerStateManager,
    log_start_offset: int,
    end_offset: int,
    now_ms: int,
) -> int:
    """Load the latest snapshot up to *end_offset* into *producers*; returns its offset."""
    offset, entries = snapshots.latest(log_start_offset, end_offset) or (log_start_offset, [])
    producers.load(entries, offset, now_ms)
    return offset


def replay(segment: LogSegment, producers: ProducerStateManager, start: int) -> list[AbortedTxn]:
    """Add the batches from *start* on to *producers*; returns the aborted transactions."""
    aborted = []
    place = segment.locate(start)
    for _, header, batch in segment.batches(place[0]) if place else ():
        if (transaction := producers.replay(header, batch)) is not None:
            aborted.append(transaction)
    return aborted


def _prepared(directory: Path, config: LogConfig, disk: Disk, now_ms: int) -> list[str]:
    """The names in *directory*, which is made if it does not exist.

    Replacements and deletions that the last process did not finish are finished first.
    """
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        disk.make_directory(directory)
        return []
    if not any(name.endswith((*_UNFINISHED, SWAP)) for name in names):
        return names
    complete = {_number_of(name) for name in names if name.endswith(f".log{SWAP}")}
    for name in names:
        incomplete = name.endswith(SWAP) and _number_of(name) not in complete
        if name.endswith(_UNFINISHED) or incomplete:
            disk.remove(directory / name)
    for number in complete:
        _finish_swap(directory, int(number), config, disk, now_ms)
    return os.listdir(directory)


def _number_of(name: str) -> str:
    """The base offset in a file's name, as text."""
    return name.split(".")[0]


def _finish_swap(
    directory: Path, base_offset: int, config: LogConfig, disk: Disk, now_ms: int
) -> None:
    """Replace the segments of which a complete ``.swap`` file is the compaction."""
    segment = LogSegment(directory, base_offset, config, disk, now_ms, SWAP)
    logger.warning("%s replaces the segments that were compacted", segment.file.path)
    end = segment.next_offset()
    for other in _base_offsets(directory, disk, os.listdir(directory)):
        if base_offset <= other < end:
            LogSegment(directory, other, config, disk, now_ms).remove()
    segment.rename_files("")
    segment.release()


def _remove_stray_snapshots(snapshots: Snapshots, segments: LogSegments) -> None:
    """Remove all but the latest and those at base offsets, which truncation needs."""
    useful = {segment.base_offset for segment in segments} | set(snapshots.offsets[-1:])
    snapshots.keep(useful.__contains__)


def _base_offsets(directory: Path, disk: Disk, names: Collection[str]) -> list[int]:
    """The base offsets of the segments with a log file; other index files are removed."""
    logs, indexes = set(), []
    for name in names:
        stem, _, suffix = name.partition(".")
        if suffix in ("log", f"log{SWAP}") and stem.isdecimal():
            logs.add(stem)
        elif suffix in ("index", "timeindex", "txnindex"):
            indexes.append(name)
    for name in indexes:
        if _number_of(name) not in logs:
            logger.warning("%s has no log file; removing it", directory / name)
            disk.remove(directory / name)
    return sorted(int(stem) for stem in logs if f"{stem}.log" in names)


def _end_of(active: LogSegment, recovery: Recovery) -> int:
    """The offset after the last batch, after a recovery if the file ends within a batch."""
    try:
        next_offset = active.next_offset()
    except CorruptRecords as error:
        logger.warning("%s, after a clean shutdown", error)
        recovery.check(active, None)
        next_offset = active.next_offset()
    return next_offset


def _restart(
    found: LogSegments,
    directory: Path,
    config: LogConfig,
    disk: Disk,
    log_start_offset: int,
    now_ms: int,
) -> tuple[LogSegments, int]:
    """Make the log empty at its start, which is above its end: all its records were deleted."""
    logger.warning("%s ends before its log start offset %d", directory, log_start_offset)
    for segment in found:
        segment.remove()
    segment = LogSegment.create(directory, log_start_offset, config, disk, now_ms)
    return LogSegments([segment]), log_start_offset
