"""A partition's log on one replica: segments, the offsets that bound it, epochs and producers.

Kafka's ``UnifiedLog``. Offsets keep one order, always:

    log start <= last stable <= high watermark <= log end

The log start rises when records are deleted; the log end with each append; the high watermark is
moved by replication. Transactions are not served yet, so the last stable offset is the high
watermark.
"""

from __future__ import annotations

import logging
from pathlib import Path

from broker.clock import Clock
from broker.storage.append import AppendOrigin, AppendRefused, LogAppendInfo, batch_size_at
from broker.storage.disk import Disk
from broker.storage.leader_epochs import LeaderEpochs
from broker.storage.log_config import LogConfig
from broker.storage.log_loader import LoadedLog, load_log, load_producers
from broker.storage.log_segments import LogSegments
from broker.storage.log_validator import check_batch, check_replicated, validate_and_assign_offsets
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.producer_snapshot import snapshot_path, write_snapshot
from broker.storage.producer_state import ProducerStateManager
from broker.storage.read_cache import FetchDataInfo, LastRead, ReadCache
from broker.storage.segment import LogSegment, TimestampAndOffset
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.records import HEADER, HEADER_BYTES, BatchHeader

__all__ = ["AppendOrigin", "FetchDataInfo", "Log", "LogAppendInfo", "OffsetOutOfRange"]

logger = logging.getLogger(__name__)


class OffsetOutOfRange(Exception):  # noqa: N818 - Kafka's name for it
    """A read outside [log start, log end]."""


class Log:
    """One replica of a partition. Opened by `open`."""

    __slots__ = (
        "_active",
        "_cache",
        "_clock",
        "_disk",
        "_end",
        "_epochs",
        "_high_watermark",
        "_last_read",
        "_producers",
        "_segments",
        "config",
        "directory",
        "log_start_offset",
        "recovery_point",
        "topic_partition",
    )

    def __init__(
        self,
        directory: Path,
        topic_partition: TopicPartition,
        config: LogConfig,
        clock: Clock,
        disk: Disk,
        cache: ReadCache,
        loaded: LoadedLog,
        epochs: LeaderEpochs,
        producers: ProducerStateManager,
    ) -> None:
        self.directory = directory
        self.topic_partition = topic_partition
        self.config = config
        # Offsets below it are known to be on the disk.
        self.recovery_point = loaded.recovery_point
        self.log_start_offset = loaded.log_start_offset
        self._clock = clock
        self._disk = disk
        self._segments = loaded.segments
        self._active = loaded.segments.active
        self._epochs = epochs
        self._producers = producers
        self._cache = cache
        self._last_read = LastRead()
        self._end = LogOffsetMetadata(
            loaded.next_offset, self._active.base_offset, self._active.size
        )
        self._high_watermark = LogOffsetMetadata(loaded.log_start_offset)

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
        loaded = load_log(
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
        log = Log(
            directory,
            topic_partition,
            config,
            clock,
            disk,
            cache or ReadCache(),
            loaded,
            epochs,
            producers,
        )
        log.update_high_watermark(LogOffsetMetadata(high_watermark))
        return log

    # ------------------------------------------------------------------------------ offsets

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record gets."""
        return self._end.message_offset

    @property
    def end_metadata(self) -> LogOffsetMetadata:
        """The log end, and where it is."""
        return self._end

    @property
    def high_watermark(self) -> int:
        """The offset below which consumers may read."""
        return self._high_watermark.message_offset

    @property
    def high_watermark_metadata(self) -> LogOffsetMetadata:
        """The high watermark, and where it is: looked up once if that is not known."""
        if self._high_watermark.message_offset_only:
            self._high_watermark = self.offset_metadata(self._high_watermark.message_offset)
        return self._high_watermark

    @property
    def last_stable_offset(self) -> int:
        """The offset below which every transaction is decided."""
        return self.high_watermark

    @property
    def last_stable_offset_metadata(self) -> LogOffsetMetadata:
        """The last stable offset, and where it is."""
        return self.high_watermark_metadata

    @property
    def latest_epoch(self) -> int:
        """The leader epoch of the last batches; -1 if there is none."""
        return self._epochs.latest

    @property
    def size_bytes(self) -> int:
        """Bytes of all batches."""
        return sum(segment.size for segment in self._segments)

    @property
    def segment_base_offsets(self) -> list[int]:
        """Where each segment begins."""
        return [segment.base_offset for segment in self._segments]

    def offset_metadata(self, offset: int) -> LogOffsetMetadata:
        """Where the batch that holds *offset* begins; raises `OffsetOutOfRange`."""
        self._check_range(offset)
        if offset == self._end.message_offset:
            return self._end
        return self._segments.locate(offset) or self._end

    def update_high_watermark(self, to: LogOffsetMetadata) -> int:
        """Set the high watermark, kept within log start and log end; returns what it is then."""
        if to.message_offset < self.log_start_offset:
            to = LogOffsetMetadata(self.log_start_offset)
        elif to.message_offset >= self._end.message_offset:
            to = self._end
        self._high_watermark = to
        return to.message_offset

    def maybe_increment_high_watermark(self, to: LogOffsetMetadata) -> bool:
        """Raise the high watermark to *to*; True if that moved it, or into another segment."""
        if to.message_offset > self._end.message_offset:
            raise AssertionError(f"high watermark {to} is beyond the log end {self._end}")
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
        produce_version: int = -1,
    ) -> LogAppendInfo:
        """Check one batch, number its records, write it.

        *records* is changed in place if it is writable. Raises `AppendRefused`; the log is as it
        was then.
        """
        size = batch_size_at(records, 0)
        if size is None:
            raise AppendRefused(ErrorCode.INVALID_RECORD, "there is no whole batch")
        batch = records if size == len(records) else records[:size]
        if size < HEADER_BYTES:
            raise AppendRefused(ErrorCode.CORRUPT_MESSAGE, "a batch is shorter than its header")
        if batch.readonly:
            batch = memoryview(bytearray(batch))
        config = self.config
        header = BatchHeader._make(HEADER.unpack_from(batch))
        check_batch(header, batch, origin, config)
        now_ms = self._clock.wall_ms()
        end = self._end
        first_offset = end.message_offset
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
        from_producer = header.producer_id >= 0
        if from_producer:
            duplicate = self._producers.check(header, origin)
            if duplicate is not None:
                return LogAppendInfo(
                    duplicate.first_offset,
                    duplicate.last_offset,
                    duplicate.timestamp,
                    self.log_start_offset,
                    True,
                    duplicate.timestamp,
                )
        last_offset = first_offset + header.records_count - 1
        self._write(batch, [(size, last_offset, max_timestamp)], now_ms)
        if leader_epoch > self._epochs.latest:
            self._epochs.assign(leader_epoch, first_offset)
        producers = self._producers
        if from_producer and not header.is_control:
            producers.update(header, first_offset, max_timestamp)
        producers.map_end_offset = last_offset + 1
        return LogAppendInfo(
            first_offset,
            last_offset,
            now_ms if config.uses_log_append_time else -1,
            self.log_start_offset,
            False,
            max_timestamp,
        )

    def append_as_follower(self, records: memoryview, leader_epoch: int) -> LogAppendInfo | None:
        """Write batches as the leader numbered them; None if there was no whole one.

        What is behind a torn batch, or from an epoch above *leader_epoch*, is left for the next
        fetch (KAFKA-18723). Raises `AppendRefused`; the log is as it was then.
        """
        first_offset = self._end.message_offset
        headers = check_replicated(records, first_offset, leader_epoch)
        if not headers:
            return None
        max_timestamp = max(header.max_timestamp for header in headers)
        places = [(header.size, header.last_offset, header.max_timestamp) for header in headers]
        size = sum(header.size for header in headers)
        self._write(records[:size], places, self._clock.wall_ms())
        self._epochs.assign_all(
            [(header.partition_leader_epoch, header.base_offset) for header in headers]
        )
        for header in headers:
            self._producers.replay(header)
        last_offset, start = headers[-1].last_offset, self.log_start_offset
        return LogAppendInfo(first_offset, last_offset, -1, start, False, max_timestamp)

    def _write(
        self, batches: memoryview, places: list[tuple[int, int, int]], now_ms: int
    ) -> None:
        """Write whole batches behind the log end, in a new segment if it is time for one."""
        segment = self._active
        _, last_offset, max_timestamp = places[-1]
        try:
            if segment.should_roll(
                len(batches), last_offset, max_timestamp, self.config, now_ms
            ):
                segment = self.roll()
            segment.append(batches, places)
        except OSError as error:
            logger.error("%s: %s", segment.file.path, error)
            raise AppendRefused(
                ErrorCode.KAFKA_STORAGE_ERROR, f"{self.topic_partition}: {error.strerror}"
            ) from error
        self._end = LogOffsetMetadata(last_offset + 1, segment.base_offset, segment.size)
        if self._high_watermark.message_offset >= last_offset + 1:
            self._high_watermark = self._end

    def roll(self) -> LogSegment:
        """Go on in a new segment; the producers up to here are put down in a snapshot."""
        old, offset = self._active, self._end.message_offset
        if not old.size and old.base_offset == offset:
            return old
        self._snapshot_producers()
        old.become_inactive()
        segment = self._new_segment(offset)
        self._segments.add(segment)
        self._active = segment
        self._end = LogOffsetMetadata(offset, offset, 0)
        if self._high_watermark.message_offset >= offset:
            self._high_watermark = self._end
        return segment

    # --------------------------------------------------------------------------------- read

    def read(
        self,
        start_offset: int,
        max_bytes: int,
        upper: LogOffsetMetadata,
        min_one_message: bool,
    ) -> FetchDataInfo:
        """The stored bytes from the batch that holds *start_offset*, at most up to *upper*.

        With *min_one_message* the first batch is whole even if it exceeds *max_bytes* (KIP-74).
        Raises `OffsetOutOfRange`.
        """
        upper_position = upper.relative_position_in_segment
        key = (start_offset, max_bytes, upper.message_offset, upper_position, min_one_message)
        last = self._last_read
        if last.key == key and last.data is not None:
            return last.data
        self._check_range(start_offset)
        if start_offset == upper.message_offset:
            return FetchDataInfo(upper, b"")
        if start_offset > upper.message_offset:
            return FetchDataInfo(self.offset_metadata(start_offset), b"")
        data = self._segments.read(start_offset, max_bytes, upper, min_one_message)
        if data is None:
            return FetchDataInfo(self._end, b"")
        if data.records:
            self._cache.keep(last, key, data)
        return data

    def fetch_offset_by_timestamp(self, timestamp: int) -> TimestampAndOffset | None:
        """The first record that is not older than *timestamp*."""
        return self._segments.find_by_timestamp(timestamp, self.log_start_offset)

    def fetch_offset_of_max_timestamp(self) -> TimestampAndOffset | None:
        """The first record that bears the largest timestamp (KIP-734)."""
        return self._segments.find_max_timestamp()

    def _check_range(self, offset: int) -> None:
        if not self.log_start_offset <= offset <= self._end.message_offset:
            raise OffsetOutOfRange(
                f"{self.topic_partition}: offset {offset} is not within "
                f"[{self.log_start_offset}, {self._end.message_offset}]"
            )

    # ------------------------------------------------------------------------------- epochs

    def epoch_of(self, offset: int) -> int:
        """The leader epoch that *offset* was written in; -1 if that is not known."""
        return self._epochs.epoch_at(offset)

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to *epoch*, and where it ends; (-1, -1) if that is not known."""
        return self._epochs.end_offset_for(epoch, self._end.message_offset)

    def maybe_assign_epoch_start_offset(self, epoch: int, offset: int) -> None:
        """A leader begins *epoch* at *offset*."""
        self._epochs.assign(epoch, offset)

    # ------------------------------------------------------------------ truncation, deletion

    def truncate_to(self, offset: int) -> bool:
        """Cut off *offset* and all behind it; False if there is nothing there."""
        if offset >= self._end.message_offset:
            return False
        if offset <= self._segments.first.base_offset:
            self.truncate_fully_and_start_at(offset)
            return True
        for segment in self._segments.drop_from(offset):
            segment.remove()
        self._segments.active.truncate_to(offset)
        self._cut(offset)
        return True

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Forget everything; the next record gets *offset*."""
        for segment in self._segments.replace_all(self._new_segment(offset)):
            segment.remove()
        self._epochs.clear()
        self.log_start_offset = offset
        self._cut(offset)

    def _cut(self, end_offset: int) -> None:
        """Bring everything in line with segments that end at *end_offset* now."""
        active = self._active = self._segments.active
        self._end = LogOffsetMetadata(end_offset, active.base_offset, active.size)
        self.log_start_offset = min(self.log_start_offset, end_offset)
        self.recovery_point = min(self.recovery_point, end_offset)
        self._epochs.truncate_from_end(end_offset)
        self._load_producers()
        self._cache.drop(self._last_read)
        self.update_high_watermark(self._high_watermark)

    def maybe_increment_log_start_offset(self, offset: int) -> bool:
        """Records below *offset* are deleted; raises `OffsetOutOfRange` above the high watermark."""
        if offset > self.high_watermark:
            raise OffsetOutOfRange(f"{offset} is above the high watermark {self.high_watermark}")
        if offset <= self.log_start_offset:
            return False
        self.log_start_offset = offset
        self.recovery_point = max(self.recovery_point, offset)
        self._epochs.truncate_from_start(offset)
        self._cache.drop(self._last_read)
        return True

    def delete_old_segments(self) -> int:
        """Remove whole segments that retention or the log start offset frees; returns how many."""
        count, start = self._segments.deletable(
            self.config, self.log_start_offset, self.high_watermark, self._clock.wall_ms()
        )
        if not count:
            return 0
        if count == len(self._segments):
            self.roll()
        for segment in self._segments.drop_first(count):
            segment.remove()
            snapshot_path(self.directory, segment.base_offset).unlink(missing_ok=True)
        self.maybe_increment_log_start_offset(max(start, self._segments.first.base_offset))
        return count

    # ------------------------------------------------------------------------- housekeeping

    def update_config(self, config: LogConfig) -> None:
        """Obey other settings from now on."""
        self.config = config

    def flush(self) -> None:
        """Return when the disk has everything up to the log end."""
        for segment in self._segments.at_or_behind(self.recovery_point):
            segment.flush()
        self.recovery_point = self._end.message_offset

    def close(self, *, sync: bool = True) -> None:
        """Leave the files as a clean shutdown leaves them; with *sync*, on the disk for good."""
        self._snapshot_producers()
        for segment in self._segments:
            segment.close()
        if sync:
            self.flush()
        for segment in self._segments:
            segment.release()
        self.recovery_point = self._end.message_offset
        self._cache.drop(self._last_read)

    def delete(self) -> None:
        """Remove the folder and all that is in it."""
        for segment in self._segments:
            segment.release()
        self._cache.drop(self._last_read)
        self._disk.remove_tree(self.directory)

    def rename(self, directory: Path) -> None:
        """Move the folder, as for a partition that is being deleted."""
        for segment in self._segments:
            segment.release()
        self.directory.rename(directory)
        self.directory = directory

    def _new_segment(self, base_offset: int) -> LogSegment:
        now_ms = self._clock.wall_ms()
        return LogSegment.create(self.directory, base_offset, self.config, self._disk, now_ms)

    def _snapshot_producers(self) -> None:
        path = snapshot_path(self.directory, self._producers.map_end_offset)
        if not path.exists():
            write_snapshot(self._disk, path, self._producers.producers.values())

    def _load_producers(self) -> None:
        load_producers(
            self.directory,
            self._segments,
            self._producers,
            self.log_start_offset,
            self._end.message_offset,
            self._clock.wall_ms(),
        )
