"""A partition's log on one replica: what changes it (Kafka's ``UnifiedLog``).

Appending, truncating and deleting keep together what belongs together: segments, leader epochs,
producers, log start and high watermark. What can be asked of a log is in `broker.storage.log_view`,
what a node does to it from time to time in `broker.storage.log_upkeep`.
"""

from __future__ import annotations

from pathlib import Path

from broker.common.clock import Clock
from broker.common.errors import InvariantBroken
from broker.common.topic_partition import TopicPartition
from broker.steps.offload import Outcome
from broker.storage.append import (
    AppendOrigin,
    AppendRefused,
    LogAppendInfo,
    only_batch,
)
from broker.storage.disk import Disk
from broker.storage.file_batches import indexed_timestamp
from broker.storage.flusher import Flusher
from broker.storage.local_log import Later, LocalLog, at_once
from broker.storage.log_config import LogConfig
from broker.storage.log_loader import load_log, load_producers
from broker.storage.log_recovery import Progress
from broker.storage.log_upkeep import LogUpkeep
from broker.storage.log_validator import Appendable, assign, check_replicated, validate
from broker.storage.log_view import OffsetOutOfRange
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.producer_snapshot import Snapshots
from broker.storage.producer_state import PRODUCER_ID_EXPIRATION_MS, ProducerStateManager
from broker.storage.read_cache import FetchDataInfo, ReadCache
from protocol.errors import ErrorCode
from protocol.record_batch.header import BatchHeader

__all__ = ["FetchDataInfo", "Log", "LogAppendInfo", "OffsetOutOfRange"]

LATEST_PRODUCE_VERSION = 13


class Log(LogUpkeep):
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
        flusher: Flusher | None = None,
        later: Later = at_once,
        progress: Progress | None = None,
        producer_id_expiration_ms: int = PRODUCER_ID_EXPIRATION_MS,
        clean: bool = False,
        recovery_point: int = 0,
        log_start_offset: int = 0,
        high_watermark: int = 0,
        compacted_to: int = 0,
    ) -> Log:
        """Open the log in *directory*, which is made if it is not there.

        *cache*, *flusher*, *later* (what deletes files when their time is over) and *progress* are
        what it shares with other logs. The offsets are those of the last checkpoints; without
        *clean* everything behind the recovery point is checked. Raises OSError, `CorruptRecords`.
        """
        disk = disk or Disk()
        producers = ProducerStateManager(str(topic_partition), producer_id_expiration_ms)
        found = load_log(
            directory,
            config,
            disk,
            producers,
            clean=clean,
            recovery_point=recovery_point,
            log_start_offset=log_start_offset,
            now_ms=clock.wall_ms(),
            progress=progress,
        )
        local = LocalLog(
            directory,
            config,
            clock,
            disk,
            found.segments,
            found.next_offset,
            found.recovery_point,
            flusher=flusher,
            later=later,
        )
        local.compacted_to = compacted_to
        start, cache = found.log_start_offset, cache or ReadCache()
        log = Log(topic_partition, local, start, clock, cache, found.epochs, producers)
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
        self._producers.transactions.replicated(to.message_offset)
        return to.message_offset

    def maybe_increment_high_watermark(self, to: LogOffsetMetadata) -> bool:
        """Raise the high watermark to *to*; True if that moved it, or into another segment."""
        if to.message_offset > self._local.end.message_offset:
            raise InvariantBroken(
                f"the high watermark of {self.topic_partition} would be {to.message_offset}, "
                f"beyond its log end {self._local.end.message_offset}"
            )
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
        records: Appendable,
        leader_epoch: int,
        *,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        produce_version: int = LATEST_PRODUCE_VERSION,
    ) -> LogAppendInfo:
        """Check one batch, number its records, write it.

        *records* is changed in place if it is writable; it may also be the outcome of a validation
        elsewhere. Raises `AppendRefused`; the log is as it was then.
        """
        self._refuse_if_offline()
        now_ms = self._clock.wall_ms()
        if isinstance(records, Outcome):
            valid = records.result()
        else:
            header, batch = only_batch(records, produce_version)
            valid = validate(header, batch, origin, self._local.config, now_ms)
        header, config = valid.header, valid.config
        first_offset = self._local.end.message_offset
        batch, max_timestamp = assign(valid, first_offset, leader_epoch, now_ms)
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
        self._write(batch, first_offset, [(size, last_offset, max_timestamp)], epochs, now_ms)
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
        self._refuse_if_offline()
        headers = check_replicated(records, self._local.end.message_offset, leader_epoch)
        if not headers:
            return None
        places = [
            (header.size, header.last_offset, indexed_timestamp(header)) for header in headers
        ]
        size = sum(header.size for header in headers)
        epochs = [(header.partition_leader_epoch, header.base_offset) for header in headers]
        first_offset = headers[0].base_offset
        self._write(records[:size], first_offset, places, epochs, self._clock.wall_ms())
        self._replay(headers, records)
        max_timestamp = max(header.max_timestamp for header in headers)
        last_offset, start = headers[-1].last_offset, self.log_start_offset
        return LogAppendInfo(first_offset, last_offset, -1, start, False, max_timestamp)

    def _write(
        self,
        batches: memoryview,
        first_offset: int,
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
            size, active = len(batches), local.active
            if active.should_roll(size, last_offset, max_timestamp, local.config, now_ms):
                self.roll(first_offset)
            local.append(batches, places)
        except OSError as error:
            local.disk.fail(self.topic_partition, error)
            refused = self.storage.offline(error)
            raise AppendRefused(ErrorCode.KAFKA_STORAGE_ERROR, refused.message) from error
        if local.unflushed >= local.config.flush_messages:
            local.flush_later()
        if self._high_watermark.message_offset > last_offset:
            self._high_watermark = local.end

    def _replay(self, headers: list[BatchHeader], records: memoryview) -> None:
        """Let the producers know of batches that have just been written."""
        position = 0
        for header in headers:
            batch = records[position : position + header.size]
            aborted = self._producers.replay(header, batch)
            if aborted is not None:
                with self.storage:
                    self._local.active.transactions.append(aborted)
            position += header.size

    def _refuse_if_offline(self) -> None:
        reason = self._local.disk.failure
        if reason is not None:
            error = self.storage.offline(reason)
            raise AppendRefused(ErrorCode.KAFKA_STORAGE_ERROR, error.message) from reason

    # ------------------------------------------------------------------ truncation, deletion

    def truncate_to(self, offset: int) -> bool:
        """Cut off *offset* and all behind it; False if there is nothing there."""
        if offset >= self.log_end_offset:
            # An epoch that began here and never got a record is no part of the log's history.
            self._epochs.truncate_from_end(self.log_end_offset)
            return False
        if offset <= self._local.segments.first.base_offset:
            self.truncate_fully_and_start_at(offset)
            return True
        with self.storage:
            self._local.truncate_to(offset)
            self._follow_truncation()
        return True

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Forget everything; the next record gets *offset*."""
        with self.storage:
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
            Snapshots(self.directory, self._local.disk),
            self._local.segments,
            self._producers,
            self.log_start_offset,
            self.log_end_offset,
            self._clock.wall_ms(),
        )
        self.update_high_watermark(LogOffsetMetadata(self.high_watermark))

    def maybe_assign_epoch_start_offset(self, epoch: int, offset: int) -> None:
        """A leader begins *epoch* at *offset*."""
        with self.storage:
            self._epochs.assign_all([(epoch, offset)])

    def update_config(self, config: LogConfig) -> None:
        """Obey other settings from now on."""
        self._local.config = config
