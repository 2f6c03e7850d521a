"""A partition's log on one replica (Kafka's ``UnifiedLog``).

It keeps its parts consistent with each other: segments (`LocalLog`), leader epochs
(`LeaderEpochFileCache`), producers (`ProducerStateManager`), log start offset and high watermark.

Invariant: log start offset <= last stable offset <= high watermark <= log end offset. The log start
offset rises when records are deleted, the log end offset with each append; replication moves the
high watermark; the last stable offset is where the first undecided transaction begins, if any.

After a failure of the data directory, everything that needs the disk raises `ApiError`
KAFKA_STORAGE_ERROR.
"""

from __future__ import annotations

from pathlib import Path

from broker.common.clock import Clock
from broker.common.errors import InvariantBroken
from broker.common.topic_partition import TopicPartition
from broker.storage.append import AppendOrigin, AppendRefused, LogAppendInfo
from broker.storage.file_batches import indexed_timestamp
from broker.storage.leader_epoch_file_cache import LeaderEpochFileCache
from broker.storage.local_log import LocalLog
from broker.storage.log_config import LogConfig
from broker.storage.log_loader import load_producers
from broker.storage.log_segments import LogSegments
from broker.storage.log_validator import Appendable, assign, check_replicated, validated
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.producer_snapshot import Snapshots, take_snapshot
from broker.storage.producer_state import ProducerStateManager
from broker.storage.read_cache import FetchDataInfo, SliceInfo
from broker.storage.storage_errors import OffsetOutOfRange, StorageErrors
from broker.storage.transaction_index import AbortedTxn
from protocol.errors import ErrorCode

LATEST_PRODUCE_VERSION = 13


class UnifiedLog:
    """One replica of a partition; made by `broker.storage.open_log`."""

    __slots__ = (
        "_high_watermark",
        "clock",
        "leader_epoch_cache",
        "local_log",
        "log_start_offset",
        "producer_state_manager",
        "storage_errors",
        "topic_partition",
    )

    def __init__(
        self,
        topic_partition: TopicPartition,
        local_log: LocalLog,
        log_start_offset: int,
        clock: Clock,
        leader_epoch_cache: LeaderEpochFileCache,
        producer_state_manager: ProducerStateManager,
    ) -> None:
        self.topic_partition = topic_partition
        self.log_start_offset = log_start_offset
        self.local_log = local_log
        self.leader_epoch_cache = leader_epoch_cache
        self.producer_state_manager = producer_state_manager
        self.storage_errors = StorageErrors(topic_partition, local_log.disk)
        self.clock = clock
        self._high_watermark = LogOffsetMetadata(log_start_offset)

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record gets."""
        return self.local_log.end.message_offset

    @property
    def log_end_offset_metadata(self) -> LogOffsetMetadata:
        """The log end offset and its position."""
        return self.local_log.end

    @property
    def high_watermark(self) -> int:
        """The offset below which consumers may read."""
        return self._high_watermark.message_offset

    @property
    def high_watermark_metadata(self) -> LogOffsetMetadata:
        """The high watermark and its position, which is looked up once if it is not known."""
        if self._high_watermark.message_offset_only:
            self._high_watermark = self.offset_metadata(self._high_watermark.message_offset)
        return self._high_watermark

    @property
    def last_stable_offset(self) -> int:
        """The offset below which every transaction is decided."""
        unstable = self.producer_state_manager.transactions.first_unstable_offset
        if unstable is None:
            return self._high_watermark.message_offset
        return min(max(unstable, self.log_start_offset), self._high_watermark.message_offset)

    @property
    def last_stable_offset_metadata(self) -> LogOffsetMetadata:
        """The last stable offset and its position."""
        offset = self.last_stable_offset
        if offset == self._high_watermark.message_offset:
            return self.high_watermark_metadata
        return self.offset_metadata(offset)

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

    def append_as_leader(
        self,
        records: Appendable,
        leader_epoch: int,
        *,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        produce_version: int = LATEST_PRODUCE_VERSION,
    ) -> LogAppendInfo:
        """Validate one batch, assign offsets to its records, and write it.

        *records* is changed in place if it is writable; it may also be the outcome of a validation
        in another thread. Raises `AppendRefused`; the log has not changed then.
        """
        local = self.local_log
        if local.disk.failure is not None:
            raise self._offline(local.disk.failure)
        now_ms = self.clock.wall_ms()
        valid = validated(records, produce_version, origin, local.config, now_ms)
        header = valid.header
        first_offset = local.end.message_offset
        batch, max_timestamp = assign(valid, first_offset, leader_epoch, now_ms)
        producers, numbered = self.producer_state_manager, header.producer_id >= 0
        start = self.log_start_offset
        if numbered and (first := producers.check(header, origin)) is not None:
            time = first.timestamp
            return LogAppendInfo(first.first_offset, first.last_offset, time, start, True, time)
        last_offset = first_offset + header.records_count - 1
        is_new = leader_epoch > self.leader_epoch_cache.latest
        epochs = [(leader_epoch, first_offset)] if is_new else []
        place = len(batch), last_offset, max_timestamp
        self._write(batch, first_offset, [place], epochs, now_ms)
        if numbered and not header.is_control:
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
        places = [
            (header.size, header.last_offset, indexed_timestamp(header)) for header in headers
        ]
        size = sum(header.size for header in headers)
        epochs = [(header.partition_leader_epoch, header.base_offset) for header in headers]
        first_offset = headers[0].base_offset
        self._write(records[:size], first_offset, places, epochs, self.clock.wall_ms())
        for aborted in self.producer_state_manager.replay_all(headers, records):
            with self.storage_errors:
                self.local_log.active.transactions.append(aborted)
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
        """Write complete batches at the log end, in a new segment if the active one must roll."""
        local = self.local_log
        _, last_offset, max_timestamp = places[-1]
        try:
            if epochs:
                self.leader_epoch_cache.assign_all(epochs)
            size, active = len(batches), local.active
            if active.should_roll(size, last_offset, max_timestamp, local.config, now_ms):
                self.roll(first_offset)
            local.append(batches, places)
        except OSError as error:
            local.disk.fail(self.topic_partition, error)
            raise self._offline(error) from error
        if local.unflushed >= local.config.flush_messages:
            local.flush_later()
        if self._high_watermark.message_offset > last_offset:
            self._high_watermark = local.end

    def _offline(self, reason: OSError) -> AppendRefused:
        message = self.storage_errors.offline(reason).message
        return AppendRefused(ErrorCode.KAFKA_STORAGE_ERROR, message)

    def read(
        self, start_offset: int, max_bytes: int, upper: LogOffsetMetadata, min_one_message: bool
    ) -> FetchDataInfo:
        """As `fetch`, with all bytes read into memory."""
        data = self.fetch(start_offset, max_bytes, upper, min_one_message)
        with self.storage_errors:
            return data.read() if isinstance(data, SliceInfo) else data

    def fetch(
        self, start_offset: int, max_bytes: int, upper: LogOffsetMetadata, min_one_message: bool
    ) -> FetchDataInfo | SliceInfo:
        """The stored bytes from the batch that contains *start_offset*, at most up to *upper*.

        With *min_one_message* the first batch is complete even if it exceeds *max_bytes* (KIP-74).
        Raises `OffsetOutOfRange`.
        """
        upper_position = upper.relative_position_in_segment
        key = (start_offset, max_bytes, upper.message_offset, upper_position, min_one_message)
        local = self.local_log
        last = local.last_read
        if local.disk.failure is not None:
            raise self.storage_errors.offline(local.disk.failure)
        if last.key == key and last.data is not None:
            return last.data
        self._check_range(start_offset)
        if start_offset == upper.message_offset:
            return FetchDataInfo(upper, b"")
        if start_offset > upper.message_offset:
            return FetchDataInfo(self.offset_metadata(start_offset), b"")
        with self.storage_errors:
            data = local.segments.read(start_offset, max_bytes, upper, min_one_message)
        if data is None:
            return FetchDataInfo(local.end, b"")
        if isinstance(data, FetchDataInfo) and data.records:
            local.cache.keep(last, key, data)
        return data

    def offset_metadata(self, offset: int) -> LogOffsetMetadata:
        """Where the batch that contains *offset* begins; raises `OffsetOutOfRange`."""
        self._check_range(offset)
        end = self.local_log.end
        if offset == end.message_offset:
            return end
        with self.storage_errors:
            return self.local_log.segments.locate(offset) or end

    def aborted_transactions(self, start_offset: int, end_offset: int) -> list[AbortedTxn]:
        """The aborted transactions with records from *start_offset* to below *end_offset*."""
        with self.storage_errors:
            return self.local_log.segments.aborted_transactions(start_offset, end_offset)

    def _check_range(self, offset: int) -> None:
        if not self.log_start_offset <= offset <= self.local_log.end.message_offset:
            raise OffsetOutOfRange(
                f"{self.topic_partition}: offset {offset} is not within "
                f"[{self.log_start_offset}, {self.log_end_offset}]"
            )

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to *epoch*, and its end offset; (-1, -1) if it is not known."""
        return self.leader_epoch_cache.end_offset_for(epoch, self.log_end_offset)

    def truncate_to(self, offset: int) -> bool:
        """Remove all batches from *offset* on; whether there were any."""
        if offset >= self.log_end_offset:
            # An epoch that began here and has no record is not part of the log's history.
            self.leader_epoch_cache.truncate_from_end(self.log_end_offset)
            return False
        if offset <= self.local_log.segments.first.base_offset:
            self.truncate_fully_and_start_at(offset)
            return True
        with self.storage_errors:
            self.local_log.truncate_to(offset)
            self._follow_truncation()
        return True

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Remove all batches; the next record gets *offset*."""
        with self.storage_errors:
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
        self.update_high_watermark(LogOffsetMetadata(self.high_watermark))

    def maybe_increment_log_start_offset(self, offset: int) -> bool:
        """Delete the records below *offset*; raises `OffsetOutOfRange` above the high watermark."""
        if offset > self.high_watermark:
            raise OffsetOutOfRange(f"{offset} is above the high watermark {self.high_watermark}")
        if offset <= self.log_start_offset:
            return False
        self.log_start_offset = offset
        self.local_log.log_start_incremented(offset)
        with self.storage_errors:
            self.leader_epoch_cache.truncate_from_start(offset)
        return True

    def maybe_assign_epoch_start_offset(self, epoch: int, offset: int) -> None:
        """Record that leader epoch *epoch* begins at *offset*."""
        with self.storage_errors:
            self.leader_epoch_cache.assign_all([(epoch, offset)])

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

    def has_replaced_segments(self) -> None:
        """Forget the position of the high watermark, after a compaction."""
        self._high_watermark = LogOffsetMetadata(self._high_watermark.message_offset)

    def close(self, *, sync: bool = True) -> None:
        """Write everything to the files, with *sync* also to the disk; raises OSError."""
        self._take_snapshot()
        self.local_log.close(sync=sync)

    def _take_snapshot(self) -> None:
        local, producers = self.local_log, self.producer_state_manager
        take_snapshot(local.disk, local.directory, producers, local.segments.first.base_offset)
