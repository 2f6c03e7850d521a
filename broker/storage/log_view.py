"""What can be asked of a log: its offsets, its records, its epochs (Kafka's ``UnifiedLog``).

Offsets keep one order, always:

    log start <= last stable <= high watermark <= log end

The log start rises when records are deleted; the log end with each append; the high watermark is
moved by replication; the last stable offset is where the first undecided transaction begins, if
there is one. What changes a log is in `broker.storage.log`.

When its data directory has failed, whatever needs the disk raises `ApiError` KAFKA_STORAGE_ERROR.
"""

from __future__ import annotations

from pathlib import Path

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.storage.disk import Disk
from broker.storage.leader_epochs import LeaderEpochs
from broker.storage.local_log import LocalLog
from broker.storage.log_config import LogConfig
from broker.storage.log_segments import SCANNED_MAX, LogSegments
from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.producer_state import ProducerStateEntry, ProducerStateManager
from broker.storage.read_cache import FetchDataInfo, LastRead, ReadCache, SliceInfo
from broker.storage.storage_errors import StorageErrors
from broker.storage.timestamp_search import Examination, Search
from broker.storage.transaction_index import AbortedTxn
from protocol.errors import ErrorCode
from protocol.output import SpliceLost
from protocol.record_batch.header import NO_TIMESTAMP


class OffsetOutOfRange(Exception):  # noqa: N818 - Kafka's name for it
    """An offset outside [log start, log end], or to delete to beyond the high watermark."""


class LogView:
    """A log as its readers see it."""

    __slots__ = (
        "_cache",
        "_clock",
        "_epochs",
        "_high_watermark",
        "_last_read",
        "_local",
        "_producers",
        "log_start_offset",
        "storage",
        "topic_partition",
    )

    def __init__(
        self,
        topic_partition: TopicPartition,
        local: LocalLog,
        log_start_offset: int,
        clock: Clock,
        cache: ReadCache,
        epochs: LeaderEpochs,
        producers: ProducerStateManager,
    ) -> None:
        self.topic_partition = topic_partition
        self.log_start_offset = log_start_offset
        self._local = local
        self._clock = clock
        self._cache = cache
        self._last_read = LastRead()
        self._epochs = epochs
        self._producers = producers
        self.storage = StorageErrors(topic_partition, local.disk)
        self._high_watermark = LogOffsetMetadata(log_start_offset)

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record gets."""
        return self._local.end.message_offset

    @property
    def end_metadata(self) -> LogOffsetMetadata:
        """The log end, and where it is."""
        return self._local.end

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
        unstable = self._producers.transactions.first_unstable_offset
        if unstable is None:
            return self._high_watermark.message_offset
        return min(max(unstable, self.log_start_offset), self._high_watermark.message_offset)

    @property
    def last_stable_offset_metadata(self) -> LogOffsetMetadata:
        """The last stable offset, and where it is."""
        offset = self.last_stable_offset
        if offset == self._high_watermark.message_offset:
            return self.high_watermark_metadata
        return self.offset_metadata(offset)

    @property
    def recovery_point(self) -> int:
        """Offsets below it are known to be on the disk for good."""
        return self._local.recovery_point

    @property
    def latest_epoch(self) -> int:
        """The leader epoch of the last batches; -1 if there is none."""
        return self._epochs.latest

    @property
    def size_bytes(self) -> int:
        """Bytes of all batches."""
        return sum(segment.size for segment in self._local.segments)

    @property
    def segments(self) -> LogSegments:
        """The segments, oldest first."""
        return self._local.segments

    @property
    def first_dirty_offset(self) -> int:
        """Offsets below it have been compacted."""
        compacted_to = self._local.compacted_to
        if self.log_start_offset <= compacted_to <= self.log_end_offset:
            return compacted_to
        return self.log_start_offset

    @property
    def segment_base_offsets(self) -> list[int]:
        """Where each segment begins."""
        return [segment.base_offset for segment in self._local.segments]

    @property
    def active_producers(self) -> list[ProducerStateEntry]:
        """The idempotent producers that the log remembers."""
        return list(self._producers.producers.values())

    @property
    def directory(self) -> Path:
        """The partition's folder."""
        return self._local.directory

    @property
    def disk(self) -> Disk:
        """The disk that holds it."""
        return self._local.disk

    @property
    def config(self) -> LogConfig:
        """The settings that hold now."""
        return self._local.config

    def offset_metadata(self, offset: int) -> LogOffsetMetadata:
        """Where the batch that holds *offset* begins; raises `OffsetOutOfRange`."""
        self._check_range(offset)
        end = self._local.end
        if offset == end.message_offset:
            return end
        with self.storage:
            return self._local.segments.locate(offset) or end

    # --------------------------------------------------------------------------------- read

    def read(
        self,
        start_offset: int,
        max_bytes: int,
        upper: LogOffsetMetadata,
        min_one_message: bool,
    ) -> FetchDataInfo:
        """As `fetch`, with all bytes read."""
        data = self.fetch(start_offset, max_bytes, upper, min_one_message)
        if isinstance(data, FetchDataInfo):
            return data
        try:
            records = data.records.whole()
        except SpliceLost as lost:
            text = f"{self.topic_partition}: {lost}"
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, text) from lost
        return FetchDataInfo(data.offset_metadata, records, data.first_entry_incomplete)

    def fetch(
        self,
        start_offset: int,
        max_bytes: int,
        upper: LogOffsetMetadata,
        min_one_message: bool,
    ) -> FetchDataInfo | SliceInfo:
        """The stored bytes from the batch that holds *start_offset*, at most up to *upper*.

        With *min_one_message* the first batch is whole even if it exceeds *max_bytes* (KIP-74).
        Raises `OffsetOutOfRange`.
        """
        upper_position = upper.relative_position_in_segment
        key = (start_offset, max_bytes, upper.message_offset, upper_position, min_one_message)
        last = self._last_read
        if self._local.disk.failure is not None:
            raise self.storage.offline(self._local.disk.failure)
        if last.key == key and last.data is not None:
            return last.data
        self._check_range(start_offset)
        if start_offset == upper.message_offset:
            return FetchDataInfo(upper, b"")
        if start_offset > upper.message_offset:
            return FetchDataInfo(self.offset_metadata(start_offset), b"")
        with self.storage:
            data = self._local.segments.read(start_offset, max_bytes, upper, min_one_message)
        if data is None:
            return FetchDataInfo(self._local.end, b"")
        if isinstance(data, FetchDataInfo) and data.records:
            self._cache.keep(last, key, data)
        return data

    def search_by_timestamp(self, timestamp: int) -> Search:
        """Search for the first record that is not older than *timestamp*."""
        offset = self.log_start_offset
        while True:
            offset = max(offset, self.log_start_offset)
            with self.storage:
                scan = self._local.segments.scan_by_timestamp(timestamp, offset)
                if scan is None:
                    return None
                if scan.found is None:
                    yield None
                else:
                    header, batch = scan.found
                    found = yield Examination(header, batch, timestamp, offset)
                    if found is not None:
                        return found
            offset = scan.next_offset

    def search_max_timestamp(self) -> Search:
        """Search for the first record that bears the largest timestamp (KIP-734)."""
        largest = NO_TIMESTAMP
        for number, segment in enumerate(list(self._local.segments)):
            if number % SCANNED_MAX == SCANNED_MAX - 1:
                yield None
            if self._local.segments.has(segment):
                with self.storage:
                    largest = max(largest, segment.largest_timestamp())
        if largest == NO_TIMESTAMP:
            return None
        return (yield from self.search_by_timestamp(largest))

    def aborted_transactions(self, start_offset: int, end_offset: int) -> list[AbortedTxn]:
        """The aborted ones with records between the offsets, for a reader of committed records."""
        with self.storage:
            return [
                entry
                for segment in self._local.segments.at_or_behind(start_offset)
                if segment.has_transactions
                for entry in segment.transactions.entries
                if entry.last_offset >= start_offset and entry.first_offset < end_offset
            ]

    def _check_range(self, offset: int) -> None:
        if not self.log_start_offset <= offset <= self._local.end.message_offset:
            raise OffsetOutOfRange(
                f"{self.topic_partition}: offset {offset} is not within "
                f"[{self.log_start_offset}, {self.log_end_offset}]"
            )

    # ------------------------------------------------------------------------------- epochs

    def epoch_of(self, offset: int) -> int:
        """The leader epoch that *offset* was written in; -1 if that is not known."""
        return self._epochs.epoch_at(offset)

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to *epoch*, and where it ends; (-1, -1) if that is not known."""
        return self._epochs.end_offset_for(epoch, self.log_end_offset)
