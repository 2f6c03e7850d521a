"""Checking what a process that died has left: every batch behind the recovery point.

The first batch that is torn or corrupt ends the log, and what follows it is cut off and told. The
indexes are made anew from the batches, and the epochs with them (Kafka's ``LogSegment.recover``).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from broker.storage.file_batches import indexed_timestamp
from broker.storage.leader_epoch_file_cache import LeaderEpochFileCache
from broker.storage.segment import LogSegment
from protocol.record_batch.header import INT32_MAX, MAGIC_V2, check_crc

logger = logging.getLogger(__name__)

# A scan says how far it is whenever it has read so much more.
PROGRESS_BYTES = 256 * 1024 * 1024


class Progress:
    """Tells from time to time that a scan goes on; logs that are opened one by one share it."""

    def __init__(self) -> None:
        self._bytes_scanned = 0
        self._next = PROGRESS_BYTES

    def advance(self, segment: LogSegment, size: int) -> None:
        """*size* more bytes have been checked, now in *segment*."""
        self._bytes_scanned += size
        if self._bytes_scanned >= self._next:
            self._next += PROGRESS_BYTES
            checked = self._bytes_scanned >> 20
            logger.warning("%s: %d MB of logs checked so far", segment.file.path.parent, checked)


class Recovery:
    """One log's recovery; ``transactional`` is the first segment that has such batches."""

    def __init__(
        self, segments: list[LogSegment], epochs: LeaderEpochFileCache, progress: Progress
    ) -> None:
        self.transactional: LogSegment | None = None
        self._segments = segments
        self._epochs = epochs
        self._progress = progress

    def run(self, recovery_point: int) -> None:
        """Check the segments that reach behind *recovery_point*; those behind a cut are removed."""
        segments = self._segments
        for at, segment in enumerate(segments, 1):
            end = segments[at].base_offset if at < len(segments) else None
            if end is not None and end <= recovery_point:
                self.check_files(segment)
                continue
            if self.check(segment, end):
                self._drop(segments[at:])
                del segments[at:]
                return

    def check_files(self, segment: LogSegment) -> None:
        """Rebuild the indexes unless both are there and possible."""
        if not (segment.offset_index.is_sane(segment.size) and segment.time_index.is_sane()):
            logger.warning("%s: its indexes are rebuilt", segment.file.path)
            segment.rebuild_indexes()
        if segment.has_transactions and not segment.transactions.is_sane(segment.base_offset):
            logger.warning("%s is rebuilt", segment.transactions.file.path)
            segment.forget_transactions()
            self.saw_transaction(segment)

    def check(self, segment: LogSegment, end_offset: int | None) -> int:
        """Cut *segment* at the first batch that is not whole and valid; returns the bytes cut.

        The checksum does not cover base offsets: they must grow, and stay below *end_offset*.
        """
        valid = 0
        next_offset = segment.base_offset
        limit = segment.base_offset + INT32_MAX + 1 if end_offset is None else end_offset
        latest = self._epochs.latest
        begun: list[tuple[int, int]] = []
        segment.begin_rebuild()
        segment.forget_transactions()
        for position, header, batch in segment.batches():
            if (
                header.magic != MAGIC_V2
                or not next_offset <= header.base_offset <= header.last_offset < limit
                or not check_crc(batch, header)
            ):
                break
            segment.enter(position, header.size, header.last_offset, indexed_timestamp(header))
            next_offset = header.next_offset
            valid = position + header.size
            if header.partition_leader_epoch > latest:
                latest = header.partition_leader_epoch
                begun.append((latest, header.base_offset))
            if header.is_transactional:
                self.saw_transaction(segment)
            self._progress.advance(segment, header.size)
        self._epochs.assign_all(begun)
        cut = segment.size - valid
        if cut:
            logger.warning(
                "%s: no valid batch at position %d; the %d bytes from there on are cut off",
                segment.file.path,
                valid,
                cut,
            )
            segment.cut(valid)
        segment.end_rebuild()
        return cut

    def saw_transaction(self, segment: LogSegment) -> None:
        """The transaction indexes from *segment* on must be made anew."""
        self.transactional = self.transactional or segment

    def _drop(self, segments: Sequence[LogSegment]) -> None:
        for segment in segments:
            logger.warning("%s lies behind the cut; it is removed", segment.file.path)
            segment.remove()
