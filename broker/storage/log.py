"""A partition's log on one replica: what changes it (Kafka's ``UnifiedLog``).

Appending, truncating and deleting keep together what belongs together: segments, leader epochs,
producers, log start and high watermark. What can be asked of a log is in `broker.storage.log_view`.
"""

from __future__ import annotations

import logging
from pathlib import Path

from broker.clock import Clock
from broker.storage.append import (
    AppendOrigin,
    AppendRefused,
    LogAppendInfo,
    only_batch,
)
from broker.storage.disk import Disk, StorageErrors
from broker.storage.leader_epochs import LeaderEpochs
from broker.storage.local_log import LocalLog
from broker.storage.log_config import LogConfig
from broker.storage.log_loader import load_log, load_producers
from broker.storage.log_validator import check_batch, check_replicated, validate_and_assign_offsets
from broker.storage.log_view import LogView, OffsetOutOfRange
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.producer_snapshot import snapshot_path, write_snapshot
from broker.storage.producer_state import ProducerStateManager
from broker.storage.read_cache import FetchDataInfo, ReadCache
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.records import HEADER, BatchHeader

__all__ = ["FetchDataInfo", "Log", "LogAppendInfo", "OffsetOutOfRange"]

logger = logging.getLogger(__name__)

_LATEST_PRODUCE_VERSION = 13


class Log(LogView):
    """One replica of a partition. Made by `open`."""

    __slots__ = ()

    @staticmethod
    def open(
        directory: Path,
        topic_partition: TopicPartition,
        config: LogConfig,
        clock: Clock,
        *,
        disk: Disk | None = None,
        cache: ReadCache | None = None,
        clean: bool = False,
        recovery_point: int = 0,
        log_start_offset: int = 0,
        high_watermark: int = 0,
    ) -> Log:
        """Open the log in *directory*, which is made if it is not there.

        The offsets are those of the last checkpoints; without *clean* everything behind the
        recovery point is checked. Raises OSError, `CorruptCheckpoint`.
        """
        disk = disk or Disk()
        directory.mkdir(parents=True, exist_ok=True)
        epochs = LeaderEpochs(directory, disk)
        producers = ProducerStateManager(str(topic_partition))
        found = load_log(
            directory,
            config,
            disk,
            epochs,
            producers,
            clean=clean,
            recovery_point=recovery_point,
            log_start_offset=log_start_offset,
            now_ms=clock.wall_ms(),
        )
        local = LocalLog(
            directory, config, clock, disk, found.segments, found.next_offset, found.recovery_point
        )
        start = found.log_start_offset
        log = Log(topic_partition, local, start, clock, cache or ReadCache(), epochs, producers)
        log.update_high_watermark(LogOffsetMetadata(high_watermark))
        return log

    # ------------------------------------------------------------------------ high watermark

    def update_high_watermark(self, to: LogOffsetMetadata) -> int:
        """Set the high watermark, kept within log start and log end; returns what it is then."""
        if to.message_offset < self.log_start_offset:
            to = LogOffsetMetadata(self.log_start_offset)
        if to.message_offset >= self._local.end.message_offset:
            to = self._local.end
        self._high_watermark = to
        return to.message_offset

    def maybe_increment_high_watermark(self, to: LogOffsetMetadata) -> bool:
        """Raise the high watermark to *to*; True if that moved it, or into another segment."""
        assert to.message_offset <= self._local.end.message_offset
        old = self._high_watermark
        # Into a newer segment also counts, as in Kafka: a fetch that waits must look again.
        if old.message_offset < to.message_offset or (
            old.message_offset == to.message_offset
            and old.segment_base_offset < to.segment_base_offset
        ):
            self.update_high_watermark(to)
            return True
        return False

    # ------------------------------------------------------------------------------- append

    def append_as_leader(
        self,
        records: memoryview,
        leader_epoch: int,
        *,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        produce_version: int = _LATEST_PRODUCE_VERSION,
    ) -> LogAppendInfo:
        """Check one batch, number its records, write it.

        *records* is changed in place if it is writable. Raises `AppendRefused`; the log is as it
        was then.
        """
        batch = only_batch(records, produce_version)
        header = BatchHeader._make(HEADER.unpack_from(batch))
        config = self._local.config
        check_batch(header, batch, origin, config)
        now_ms = self._clock.wall_ms()
        first_offset = self._local.end.message_offset
        batch, max_timestamp = validate_and_assign_offsets(
            header,
            batch,
            next_offset=first_offset,
            leader_epoch=leader_epoch,
            origin=origin,
            config=config,
            now_ms=now_ms,
        )
        size = len(batch)
        if size > config.segment_bytes:
            raise AppendRefused(
                ErrorCode.RECORD_LIST_TOO_LARGE,
                f"a batch of {size} bytes exceeds segment.bytes, {config.segment_bytes}",
            )
        producers, numbered = self._producers, header.producer_id >= 0
        if numbered and (first := producers.check(header, origin)) is not None:
            start, time = self.log_start_offset, first.timestamp
            return LogAppendInfo(first.first_offset, first.last_offset, time, start, True, time)
        last_offset = first_offset + header.records_count - 1
        epochs = [(leader_epoch, first_offset)] if leader_epoch > self._epochs.latest else []
        self._write(batch, [(size, last_offset, max_timestamp)], epochs, now_ms)
        if numbered and not header.is_control:
            producers.update(header, first_offset, max_timestamp)
        producers.map_end_offset = last_offset + 1
        append_time = now_ms if config.uses_log_append_time else -1
        start = self.log_start_offset
        return LogAppendInfo(first_offset, last_offset, append_time, start, False, max_timestamp)

    def append_as_follower(self, records: memoryview, leader_epoch: int) -> LogAppendInfo | None:
        """Write batches as the leader numbered them; None if there was no whole one.

        What is behind a torn batch, or from an epoch above *leader_epoch*, is left for the next
        fetch (KAFKA-18723). Raises `AppendRefused`; the log is as it was then.
        """
        first_offset = self._local.end.message_offset
        headers = check_replicated(records, first_offset, leader_epoch)
        if not headers:
            return None
        places = [(header.size, header.last_offset, header.max_timestamp) for header in headers]
        size = sum(header.size for header in headers)
        epochs = [(header.partition_leader_epoch, header.base_offset) for header in headers]
        self._write(records[:size], places, epochs, self._clock.wall_ms())
        for header in headers:
            self._producers.replay(header)
        max_timestamp = max(header.max_timestamp for header in headers)
        last_offset, start = headers[-1].last_offset, self.log_start_offset
        return LogAppendInfo(first_offset, last_offset, -1, start, False, max_timestamp)

    def _write(
        self,
        batches: memoryview,
        places: list[tuple[int, int, int]],
        epochs: list[tuple[int, int]],
        now_ms: int,
    ) -> None:
        """Write whole batches at the log end, in a new segment if it is time for one."""
        local = self._local
        _, last_offset, max_timestamp = places[-1]
        try:
            if epochs:
                self._epochs.assign_all(epochs)
            if local.should_roll(len(batches), last_offset, max_timestamp, now_ms):
                self.roll()
            local.append(batches, places)
            if last_offset - local.recovery_point >= local.config.flush_messages:
                local.flush()
        except OSError as error:
            logger.error("%s: %s", local.active.file.path, error)
            raise AppendRefused(
                ErrorCode.KAFKA_STORAGE_ERROR, f"{self.topic_partition}: {error.strerror}"
            ) from error
        if self._high_watermark.message_offset > last_offset:
            self._high_watermark = local.end

    def roll(self) -> None:
        """Go on in a new segment; the producers up to here are put down in a snapshot."""
        self._snapshot_producers()
        if self._local.roll() and self.high_watermark >= self.log_end_offset:
            self._high_watermark = self._local.end

    # ------------------------------------------------------------------ truncation, deletion

    def truncate_to(self, offset: int) -> bool:
        """Cut off *offset* and all behind it; False if there is nothing there."""
        if offset >= self.log_end_offset:
            # An epoch that began here and never got a record is no part of the log's history.
            self._epochs.truncate_from_end(self.log_end_offset)
            return False
        if offset <= self._local.segments.first.base_offset:
            self.truncate_fully_and_start_at(offset)
        else:
            self._local.truncate_to(offset)
            self._follow_truncation()
        return True

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Forget everything; the next record gets *offset*."""
        self._local.truncate_fully_and_start_at(offset)
        self._epochs.clear()
        self.log_start_offset = offset
        self._follow_truncation()

    def _follow_truncation(self) -> None:
        """Bring what is derived from the records in line with where they end now."""
        self._cache.drop(self._last_read)
        self.log_start_offset = min(self.log_start_offset, self.log_end_offset)
        self._epochs.truncate_from_end(self.log_end_offset)
        load_producers(
            self.directory,
            self._local.segments,
            self._producers,
            self.log_start_offset,
            self.log_end_offset,
            self._clock.wall_ms(),
        )
        self.update_high_watermark(LogOffsetMetadata(self.high_watermark))

    def maybe_increment_log_start_offset(self, offset: int) -> bool:
        """Delete the records below *offset*; raises `OffsetOutOfRange` above the high watermark."""
        if offset > self.high_watermark:
            raise OffsetOutOfRange(f"{offset} is above the high watermark {self.high_watermark}")
        if offset <= self.log_start_offset:
            return False
        self.log_start_offset = offset
        self._local.recovery_point = max(self.recovery_point, offset)
        self._epochs.truncate_from_start(offset)
        self._cache.drop(self._last_read)
        return True

    def delete_old_segments(self) -> int:
        """Remove whole segments that retention or the log start offset frees; returns how many."""
        segments = self._local.segments
        count, start = segments.deletable(
            self.config, self.log_start_offset, self.high_watermark, self._clock.wall_ms()
        )
        if not count:
            return 0
        if count == len(segments):
            self.roll()
        self.maybe_increment_log_start_offset(start)
        for base_offset in self._local.delete_first(count):
            snapshot_path(self.directory, base_offset).unlink(missing_ok=True)
        return count

    # ------------------------------------------------------------------------- housekeeping

    def maybe_assign_epoch_start_offset(self, epoch: int, offset: int) -> None:
        """A leader begins *epoch* at *offset*."""
        with StorageErrors(self.topic_partition):
            self._epochs.assign_all([(epoch, offset)])

    def update_config(self, config: LogConfig) -> None:
        """Obey other settings from now on."""
        self._local.config = config

    def flush(self) -> None:
        """Return when the disk has everything up to the log end."""
        self._local.flush()

    def close(self, *, sync: bool = True) -> None:
        """Leave the files as a clean shutdown leaves them; with *sync*, on the disk for good."""
        self._snapshot_producers()
        self._local.close(sync=sync)
        self._cache.drop(self._last_read)

    def rename(self, directory: Path) -> None:
        """Move the folder, only to be deleted there."""
        self._local.rename(directory)

    def delete(self) -> None:
        """Remove the folder and all that is in it."""
        self._local.release()
        self._cache.drop(self._last_read)
        self._local.disk.remove_tree(self.directory)

    def _snapshot_producers(self) -> None:
        path = snapshot_path(self.directory, self._producers.map_end_offset)
        if not path.exists():
            write_snapshot(self._local.disk, path, self._producers.producers.values())
