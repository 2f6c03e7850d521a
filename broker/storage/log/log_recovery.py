"""Recovers a log after an unclean shutdown: checks every batch from the recovery point on.

The first incomplete or corrupt batch ends the log: a warning is logged, and it and all later bytes
are removed. Indexes and leader epochs are rebuilt from the batches (Kafka's
``LogSegment.recover``).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from broker.storage.log.leader_epoch_file_cache import LeaderEpochFileCache
from broker.storage.segments.segment import LogSegment
from protocol.record_batch.header import INT32_MAX, MAGIC_V2, check_crc

logger = logging.getLogger(__name__)

# Progress is logged each time this number of bytes has been checked.
PROGRESS_BYTES = 256 * 1024 * 1024


class Progress:
    """Logs how many bytes have been checked; all logs of a broker share it."""

    def __init__(self) -> None:
        self._bytes_scanned = 0
        self._next = PROGRESS_BYTES

    def advance(self, segment: LogSegment, size: int) -> None:
        """Add *size* checked bytes of *segment*."""
        self._bytes_scanned += size
        if self._bytes_scanned >= self._next:
            self._next += PROGRESS_BYTES
            checked = self._bytes_scanned >> 20
            logger.warning("%s: %d MB of logs checked so far", segment.file.path.parent, checked)


class Recovery:
    """The recovery of one log.

    ``transactional`` is the first segment whose transaction index must be rebuilt.
    """

    def __init__(
        self, segments: list[LogSegment], epochs: LeaderEpochFileCache, progress: Progress
    ) -> None:
        self.transactional: LogSegment | None = None
        self._segments = segments
        self._epochs = epochs
        self._progress = progress

    def run(self, recovery_point: int) -> None:
        """Check the segments that end above *recovery_point*; remove those after a damaged one.

        Raises OSError.
        """
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
        """Rebuild missing or invalid indexes of a segment. Raises OSError."""
        if not (segment.offset_index.is_sane(segment.size) and segment.time_index.is_sane()):
            logger.warning("%s: rebuilding indexes", segment.file.path)
            segment.rebuild_indexes()
        if segment.has_transactions and not segment.transactions.is_sane(segment.base_offset):
            logger.warning("%s is invalid; rebuilding it", segment.transactions.file.path)
            segment.remove_transaction_index()
            self.found_transaction(segment)

    def check(self, segment: LogSegment, end_offset: int | None) -> int:
        """Truncate *segment* at the first incomplete or invalid batch; returns the bytes removed.

        The checksum does not cover base offsets: these must increase, and be below *end_offset*.
        Raises OSError.
        """
        valid = 0
        next_offset = segment.base_offset
        limit = segment.base_offset + INT32_MAX + 1 if end_offset is None else end_offset
        latest = self._epochs.latest
        new_epochs: list[tuple[int, int]] = []
        segment.begin_rebuild()
        segment.remove_transaction_index()
        for position, header, batch in segment.batches():
            if (
                header.magic != MAGIC_V2
                or not next_offset <= header.base_offset <= header.last_offset < limit
                or not check_crc(batch, header)
            ):
                break
            segment.enter(position, header.size, header.last_offset, header.max_timestamp)
            next_offset = header.next_offset
            valid = position + header.size
            if header.partition_leader_epoch > latest:
                latest = header.partition_leader_epoch
                new_epochs.append((latest, header.base_offset))
            if header.is_transactional:
                self.found_transaction(segment)
            self._progress.advance(segment, header.size)
        self._epochs.assign_all(new_epochs)
        cut = segment.size - valid
        if cut:
            logger.warning(
                "%s: no valid batch at position %d; removing the %d bytes from there on",
                segment.file.path,
                valid,
                cut,
            )
            segment.cut(valid)
        segment.become_inactive()
        return cut

    def found_transaction(self, segment: LogSegment) -> None:
        """Note that the transaction indexes from *segment* on must be rebuilt."""
        self.transactional = self.transactional or segment

    def _drop(self, segments: Sequence[LogSegment]) -> None:
        for segment in segments:
            logger.warning("%s follows an invalid batch; removing it", segment.file.path)
            segment.remove()
