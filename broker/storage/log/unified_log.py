"""A partition's log on one replica (Kafka's ``UnifiedLog``).

It keeps its parts consistent with each other: segments (`LocalLog`), leader epochs
(`LeaderEpochFileCache`), producers and transactions (`ProducerStateManager`), log start offset and
high watermark. `ReadableLog` has the invariant of the offsets.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from uuid import UUID

from broker.common.clock import Clock
from broker.common.errors import InvariantBroken
from broker.common.topic_partition import TopicPartition
from broker.storage.files.checkpoints import PARTITION_METADATA, write_partition_metadata
from broker.storage.files.storage_errors import OffsetOutOfRange
from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log.leader_epoch_file_cache import LeaderEpochFileCache
from broker.storage.log.local_log import LocalLog
from broker.storage.log.log_loader import load_producers
from broker.storage.log.readable_log import ReadableLog
from broker.storage.log_config import LogConfig
from broker.storage.producers.producer_append import (
    check_batch,
    check_marker,
    maybe_start_verification,
)
from broker.storage.producers.producer_snapshot import Snapshots
from broker.storage.producers.producer_state import ProducerStateManager
from broker.storage.producers.snapshot_writer import SnapshotWriter
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.segments.log_segments import LogSegments
from broker.storage.segments.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata
from broker.storage.validation.append import AppendOrigin, AppendRefused, LogAppendInfo
from broker.storage.validation.log_validator import Appendable, assign, check_replicated, validated
from protocol.errors import ErrorCode
from protocol.record_batch.header import CONTROL_BIT, NO_TIMESTAMP

LATEST_PRODUCE_VERSION: Final = 13


class UnifiedLog(ReadableLog):
    """One replica of a partition; made by `broker.storage.log.open_log`."""

    __slots__ = ("_snapshot_writer", "clock", "leader_epoch_cache", "unsaved_topic_id")

    def __init__(
        self,
        topic_partition: TopicPartition,
        local_log: LocalLog,
        log_start_offset: int,
        clock: Clock,
        leader_epoch_cache: LeaderEpochFileCache,
        producer_state_manager: ProducerStateManager,
        snapshot_writer: SnapshotWriter,
    ) -> None:
        super().__init__(topic_partition, local_log, log_start_offset, producer_state_manager)
        self._snapshot_writer = snapshot_writer
        self.leader_epoch_cache = leader_epoch_cache
        self.clock = clock
        # The ID that the first append writes to the directory, as in Kafka; None if it is there.
        self.unsaved_topic_id: UUID | None = None

    @property
    def segments(self) -> LogSegments:
        """The segments, oldest first."""
        return self.local_log.segments

    @property
    def first_dirty_offset(self) -> int:
        """The offset below which the log has been compacted."""
        return self.local_log.first_dirty_offset(self.log_start_offset)

    @property
    def directory(self) -> Path:
        """The partition's directory."""
        return self.local_log.directory

    @property
    def config(self) -> LogConfig:
        """The configuration in use."""
        return self.local_log.config

    def update_high_watermark(self, to: LogOffsetMetadata) -> int:
        """Set the high watermark, but within log start and log end; returns the new value."""
        if to.message_offset < self.log_start_offset:
            to = LogOffsetMetadata(self.log_start_offset)
        if to.message_offset >= self.local_log.end.message_offset:
            to = self.local_log.end
        self._high_watermark = to
        self.producer_state_manager.transactions.replicated(to.message_offset)
        self.notify_listeners()
        return to.message_offset

    def maybe_increment_high_watermark(self, to: LogOffsetMetadata) -> bool:
        """Raise the high watermark to *to*; whether its offset or its segment has changed."""
        if to.message_offset > self.local_log.end.message_offset:
            raise InvariantBroken(
                f"the high watermark of {self.topic_partition} would be {to.message_offset}, "
                f"beyond its log end {self.local_log.end.message_offset}"
            )
        old = self._high_watermark
        # A newer segment counts, as in Kafka: waiting fetches must be checked again.
        if old.message_offset < to.message_offset or (
            old.message_offset == to.message_offset
            and old.segment_base_offset < to.segment_base_offset
        ):
            self.update_high_watermark(to)
            return True
        return False

    def maybe_start_transaction_verification(
        self, producer_id: int, producer_epoch: int, base_sequence: int, supports_epoch_bump: bool
    ) -> int:
        """The guard with which a transaction's first batch must be appended, after verification.

        `NO_GUARD` if a transaction of this epoch is open, so that it needs none. See
        `maybe_start_verification`.
        """
        return maybe_start_verification(
            self.producer_state_manager,
            producer_id,
            producer_epoch,
            base_sequence,
            self.clock.wall_ms(),
            supports_epoch_bump=supports_epoch_bump,
        )

    def append_as_leader(
        self,
        records: Appendable,
        leader_epoch: int,
        *,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        produce_version: int = LATEST_PRODUCE_VERSION,
        verification_guard: int = NO_GUARD,
        transaction_version: int = 0,
    ) -> LogAppendInfo:
        """Validate one batch, assign offsets to its records, and write it.

        *records* is changed in place if it is writable; it may also be the outcome of a validation
        in another thread. *verification_guard* is that of a transaction's first batch, and
        *transaction_version* the level of the protocol that a marker follows. Raises
        `AppendRefused`; then nothing is written. A batch that its producer's state refuses may
        have rolled the segment, as in Kafka.
        """
        local = self.local_log
        if local.disk.failure is not None:
            raise self._offline(local.disk.failure)
        now_ms = self.clock.wall_ms()
        key = self.topic_partition
        valid = validated(records, produce_version, origin, key, local.config, now_ms)
        header = valid.header
        first_offset = local.end.message_offset
        batch, max_timestamp = assign(valid, first_offset, leader_epoch, now_ms)
        last_offset = first_offset + header.records_count - 1
        self._maybe_roll(first_offset, len(batch), last_offset, max_timestamp, now_ms)
        producers, numbered = self.producer_state_manager, header.producer_id >= 0
        start, marker = self.log_start_offset, None
        if numbered:
            if header.attributes & CONTROL_BIT:
                marker = check_marker(producers, header, batch, transaction_version)
            elif first := check_batch(producers, header, origin, verification_guard):
                time = first.timestamp
                return LogAppendInfo(first.first_offset, first.last_offset, time, start, True, time)
        cache = self.leader_epoch_cache
        is_new = leader_epoch > cache.latest or not cache.is_saved
        epochs = [(leader_epoch, first_offset)] if is_new else []
        place = len(batch), last_offset, max_timestamp
        self._write(batch, [place], epochs)
        if marker is not None:
            aborted = producers.end_transaction(header, marker, first_offset, max_timestamp)
            self._add_to_index(aborted)
        elif numbered and not header.attributes & CONTROL_BIT:
            producers.update(header, first_offset, max_timestamp)
        producers.map_end_offset = last_offset + 1
        append_time = now_ms if valid.config.uses_log_append_time else -1
        return LogAppendInfo(first_offset, last_offset, append_time, start, False, max_timestamp)

    def append_as_follower(self, records: memoryview, leader_epoch: int) -> LogAppendInfo | None:
        """Write batches with the leader's offsets; None if *records* have no complete batch.

        An incomplete batch, one from an epoch above *leader_epoch* (KAFKA-18723), and what follows
        it are ignored; the next fetch gets them. Raises `AppendRefused`; the log has not changed.
        """
        if self.local_log.disk.failure is not None:
            raise self._offline(self.local_log.disk.failure)
        headers = check_replicated(records, self.local_log.end.message_offset, leader_epoch)
        if not headers:
            return None
        places: list[tuple[int, int, int]] = []
        epochs: list[tuple[int, int]] = []
        size, max_timestamp, epoch = 0, NO_TIMESTAMP, self.leader_epoch_cache.latest
        for header in headers:
            places.append((header.size, header.last_offset, header.max_timestamp))
            size += header.size
            max_timestamp = max(max_timestamp, header.max_timestamp)
            if header.partition_leader_epoch != epoch:
                epoch = header.partition_leader_epoch
                epochs.append((epoch, header.base_offset))
        first_offset, last_offset = headers[0].base_offset, headers[-1].last_offset
        now_ms = self.clock.wall_ms()
        self._maybe_roll(first_offset, size, last_offset, max_timestamp, now_ms)
        self._write(records[:size], places, epochs)
        for aborted in self.producer_state_manager.replay_all(headers, records):
            self._add_to_index(aborted)
        start = self.log_start_offset
        return LogAppendInfo(first_offset, last_offset, -1, start, False, max_timestamp)

    def _maybe_roll(
        self, first_offset: int, size: int, last_offset: int, max_timestamp: int, now_ms: int
    ) -> None:
        """Make a new segment for *size* bytes from *first_offset* on if the active one must roll.

        As in Kafka this precedes the check of the producer's state.
        """
        local = self.local_log
        try:
            if local.active.should_roll(size, last_offset, max_timestamp, local.config, now_ms):
                self.roll(first_offset)
        except OSError as error:
            raise self._failed(error) from error

    def _write(
        self,
        batches: memoryview,
        places: list[tuple[int, int, int]],
        epochs: list[tuple[int, int]],
    ) -> None:
        """Write complete batches at the log end."""
        local = self.local_log
        try:
            if epochs:
                self._save_topic_id()
                self.leader_epoch_cache.assign_all(epochs)
            local.append(batches, places)
        except OSError as error:
            raise self._failed(error) from error
        self.notify_listeners()
        if local.unflushed >= local.config.flush_messages:
            local.flush_later()

    def _failed(self, error: OSError) -> AppendRefused:
        """Take the directory offline, because *error* occurred in an append."""
        self.local_log.disk.fail(self.topic_partition, error)
        return self._offline(error)

    def _save_topic_id(self) -> None:
        """Write the topic ID before the directory has records. Raises OSError."""
        if self.unsaved_topic_id is not None:
            path = self.directory / PARTITION_METADATA
            write_partition_metadata(self.local_log.disk, path, self.unsaved_topic_id)
            self.unsaved_topic_id = None

    def _add_to_index(self, aborted: AbortedTxn | None) -> None:
        """Add an aborted transaction to the index of the segment that has its marker."""
        if aborted is not None:
            with self.storage_errors:
                self.local_log.active.transactions.append(aborted)

    def _offline(self, reason: OSError) -> AppendRefused:
        message = self.storage_errors.offline(reason).message
        return AppendRefused(ErrorCode.KAFKA_STORAGE_ERROR, message)

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to *epoch*, and its end offset; (-1, -1) if it is not known."""
        return self.leader_epoch_cache.end_offset_for(epoch, self.log_end_offset)

    def truncate_to(self, offset: int) -> bool:
        """Remove all batches from *offset* on; whether there were any."""
        if offset >= self.log_end_offset:
            # An epoch that began here and has no record is not part of the log's history.
            self.leader_epoch_cache.truncate_from_end(self.log_end_offset)
            self.notify_listeners()
            return False
        if offset <= self.local_log.segments.first.base_offset:
            self.truncate_fully_and_start_at(offset)
            return True
        with self.storage_errors:
            self.local_log.truncate_to(offset)
            self._follow_truncation()
        return True

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Remove all batches and snapshots; the next record gets *offset*.

        The records before *offset* are now those of another log, whose producers are not known.
        """
        with self.storage_errors:
            self._save_topic_id()
            Snapshots(self.directory, self.local_log.disk).keep(lambda _: False)
            self.local_log.truncate_fully_and_start_at(offset)
            self.leader_epoch_cache.clear()
            self.log_start_offset = offset
            self._follow_truncation()

    def _follow_truncation(self) -> None:
        """Make the other parts consistent with the new log end."""
        self.log_start_offset = min(self.log_start_offset, self.log_end_offset)
        self.leader_epoch_cache.truncate_from_end(self.log_end_offset)
        load_producers(
            Snapshots(self.directory, self.local_log.disk),
            self.local_log.segments,
            self.producer_state_manager,
            self.log_start_offset,
            self.log_end_offset,
            self.clock.wall_ms(),
        )
        self._last_stable = UNKNOWN_OFFSET_METADATA
        self.update_high_watermark(LogOffsetMetadata(self.high_watermark))

    def maybe_increment_log_start_offset(self, offset: int) -> bool:
        """Delete the records below *offset*; raises `OffsetOutOfRange` above the high watermark."""
        if offset > self.high_watermark:
            raise OffsetOutOfRange(f"{offset} is above the high watermark {self.high_watermark}")
        if offset <= self.log_start_offset:
            return False
        self.log_start_offset = offset
        self.notify_listeners()
        self.local_log.log_start_incremented(offset)
        with self.storage_errors:
            self.leader_epoch_cache.truncate_from_start(offset)
        return True

    def begin_epoch(self, epoch: int) -> None:
        """Begin the leader epoch *epoch* at the log end; raises `ApiError` if it is offline."""
        with self.storage_errors:
            self.local_log.disk.check()
        self.leader_epoch_cache.begin(epoch, self.log_end_offset)
        self.notify_listeners()

    def update_config(self, config: LogConfig) -> None:
        """Use *config* from now on."""
        self.local_log.config = config

    def roll(self, first_offset: int = 0) -> None:
        """Make a new active segment, after a snapshot of the producers; raises OSError.

        It begins at *first_offset* if that is above the log end: the batches of a compacted leader
        may be further apart than the offsets of a segment. The records written so far are forced to
        the disk in the background.
        """
        base_offset = max(first_offset, self.log_end_offset)
        self.producer_state_manager.map_end_offset = base_offset
        self._take_snapshot()
        if self.local_log.roll(base_offset):
            self.local_log.flush_later()
            if self.high_watermark >= self.log_end_offset:
                self._high_watermark = self.local_log.end
            self.notify_listeners()

    def forget_positions(self) -> None:
        """Forget the positions of offsets, after a compaction."""
        self._last_stable = UNKNOWN_OFFSET_METADATA
        self._high_watermark = LogOffsetMetadata(self._high_watermark.message_offset)
        self.notify_listeners()

    def close(self, *, sync: bool = True) -> None:
        """Write everything to the files, with *sync* also to the disk; raises OSError."""
        self._save_topic_id()
        self.leader_epoch_cache.save()
        self._take_snapshot(at_once=True)
        self.local_log.close(sync=sync)

    def rename(self, directory: Path) -> None:
        """Rename the directory, before it is deleted. Raises OSError."""
        self.producer_state_manager.packed = None
        self.local_log.rename(directory)

    def _take_snapshot(self, *, at_once: bool = False) -> None:
        local, producers = self.local_log, self.producer_state_manager
        first = local.segments.first.base_offset
        self._snapshot_writer.take(local.disk, local.directory, producers, first, at_once=at_once)
