"""Opening a log that may have died: what is on disk becomes segments again (``LogLoader``).

After a clean shutdown the files are believed. Otherwise every batch behind the recovery point is
checked; the first that is torn or corrupt ends the log, and what follows it is cut off and told.
Indexes that are missing or impossible are made anew from the batches.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from broker.storage.disk import Disk
from broker.storage.leader_epochs import LeaderEpochs
from broker.storage.log_config import LogConfig
from broker.storage.log_segments import LogSegments
from broker.storage.producer_snapshot import (
    CorruptSnapshot,
    read_snapshot,
    snapshot_offsets,
    snapshot_path,
)
from broker.storage.producer_state import ProducerStateManager
from broker.storage.segment import LogSegment
from protocol.records import INT32_MAX, MAGIC_V2, check_crc

logger = logging.getLogger(__name__)

# Left behind by a process that died while it replaced or deleted files.
_UNFINISHED = (".deleted", ".cleaned", ".swap", ".tmp")


@dataclass(slots=True)
class LoadedLog:
    """What was found, and what of it the disk is known to have."""

    segments: LogSegments
    log_start_offset: int
    next_offset: int
    recovery_point: int
    bytes_cut: int


def load_log(
    directory: Path,
    config: LogConfig,
    disk: Disk,
    epochs: LeaderEpochs,
    producers: ProducerStateManager,
    *,
    clean: bool,
    recovery_point: int,
    log_start_offset: int,
    now_ms: int,
) -> LoadedLog:
    """Load *directory*; *epochs* and *producers* are brought in line with what is found."""
    _remove_unfinished(directory)
    segments = [
        LogSegment(directory, base_offset, config, disk, now_ms)
        for base_offset in _base_offsets(directory)
    ]
    bytes_cut = 0
    if clean:
        for segment in segments:
            _check_indexes(segment)
    else:
        bytes_cut = _recover(segments, epochs, recovery_point)
    if not segments:
        segments.append(LogSegment.create(directory, log_start_offset, config, disk, now_ms))
    found = LogSegments(segments)
    found.active.load_timestamps()
    next_offset = found.active.next_offset()
    log_start_offset = max(log_start_offset, found.first.base_offset)
    if next_offset < log_start_offset:
        found, next_offset = _restart(found, directory, config, disk, log_start_offset, now_ms)
    epochs.truncate_from_end(next_offset)
    epochs.truncate_from_start(log_start_offset)
    _remove_stray_snapshots(directory, found)
    load_producers(directory, found, producers, log_start_offset, next_offset, now_ms)
    recovery_point = next_offset if clean else min(recovery_point, next_offset)
    return LoadedLog(found, log_start_offset, next_offset, recovery_point, bytes_cut)


def load_producers(
    directory: Path,
    segments: LogSegments,
    producers: ProducerStateManager,
    log_start_offset: int,
    end_offset: int,
    now_ms: int,
) -> None:
    """Rebuild *producers* up to *end_offset*: the latest snapshot, then the batches behind it."""
    start = log_start_offset
    producers.load((), start, now_ms)
    for offset in reversed(snapshot_offsets(directory)):
        path = snapshot_path(directory, offset)
        if offset > end_offset:
            path.unlink()
        elif offset >= log_start_offset:
            try:
                producers.load(read_snapshot(path), offset, now_ms)
            except CorruptSnapshot as error:
                logger.warning("%s; it is left out", error)
                path.unlink()
                continue
            start = offset
            break
    if start == end_offset:
        return
    for segment in segments.at_or_behind(start):
        place = segment.locate(start)
        if place is None:
            continue
        for _, header, _ in segment.batches(place.position):
            producers.replay(header)
    producers.remove_expired(now_ms)
    producers.map_end_offset = end_offset


def _remove_unfinished(directory: Path) -> None:
    for path in directory.iterdir():
        if path.suffix in _UNFINISHED:
            path.unlink()


def _remove_stray_snapshots(directory: Path, segments: LogSegments) -> None:
    """Keep the latest, and those where a segment begins: truncation goes back to them."""
    begins = {segment.base_offset for segment in segments}
    for offset in snapshot_offsets(directory)[:-1]:
        if offset not in begins:
            snapshot_path(directory, offset).unlink()


def _base_offsets(directory: Path) -> list[int]:
    logs = {path.stem for path in directory.glob("*.log") if path.stem.isdecimal()}
    for path in directory.iterdir():
        if path.suffix in (".index", ".timeindex", ".txnindex") and path.stem not in logs:
            logger.warning("%s has no segment; it is removed", path)
            path.unlink()
    return sorted(int(stem) for stem in logs)


def _check_indexes(segment: LogSegment) -> None:
    """Rebuild the indexes unless both are there and possible."""
    offset_index, time_index = segment.offset_index, segment.time_index
    if not (
        offset_index.file.path.exists()
        and time_index.file.path.exists()
        and offset_index.is_sane(segment.size)
        and time_index.is_sane()
    ):
        logger.warning("%s: its indexes are rebuilt", segment.file.path)
        segment.rebuild_indexes()


def _recover(segments: list[LogSegment], epochs: LeaderEpochs, recovery_point: int) -> int:
    """Check what lies behind the recovery point; returns how many bytes were cut off."""
    for at, segment in enumerate(segments):
        following = segments[at + 1].base_offset if at + 1 < len(segments) else None
        if following is not None and following <= recovery_point:
            _check_indexes(segment)
            continue
        cut = recover_segment(segment, epochs, following)
        if cut:
            later = segments[at + 1 :]
            for lost in later:
                logger.warning("%s lies behind the cut; it is removed", lost.file.path)
                cut += lost.size
                lost.remove()
            del segments[at + 1 :]
            return cut
    return 0


def recover_segment(segment: LogSegment, epochs: LeaderEpochs, end_offset: int | None) -> int:
    """Check every batch, cut at the first that is not whole and valid; returns the bytes cut.

    The checksum does not cover base offsets: they must grow, and stay below *end_offset*.
    """
    valid = 0
    next_offset = segment.base_offset
    limit = segment.base_offset + INT32_MAX + 1 if end_offset is None else end_offset
    latest = epochs.latest
    begun: list[tuple[int, int]] = []
    segment.begin_rebuild()
    for position, header, batch in segment.batches():
        if (
            header.magic != MAGIC_V2
            or not next_offset <= header.base_offset <= header.last_offset < limit
            or not check_crc(batch, 0, header)
        ):
            break
        segment.enter(position, header.size, header.last_offset, header.max_timestamp)
        next_offset = header.next_offset
        valid = position + header.size
        if header.partition_leader_epoch > latest:
            latest = header.partition_leader_epoch
            begun.append((latest, header.base_offset))
    epochs.assign_all(begun)
    cut = segment.size - valid
    if cut:
        logger.warning(
            "%s: no valid batch at position %d; the %d bytes from there on are cut off",
            segment.file.path,
            valid,
            cut,
        )
        segment.file.truncate(valid)
        segment.size = valid
    segment.end_rebuild()
    return cut


def _restart(
    found: LogSegments,
    directory: Path,
    config: LogConfig,
    disk: Disk,
    log_start_offset: int,
    now_ms: int,
) -> tuple[LogSegments, int]:
    """The log ends before its start: what it has was deleted. Begin anew at the start."""
    logger.warning("%s ends before its log start offset %d", directory, log_start_offset)
    for segment in found:
        segment.remove()
    segment = LogSegment.create(directory, log_start_offset, config, disk, now_ms)
    return LogSegments([segment]), log_start_offset
