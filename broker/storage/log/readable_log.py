"""A log as its readers see it: its offsets, and the records below a bound.

Invariant: log start offset <= last stable offset <= high watermark <= log end offset. The log start
offset rises when records are deleted, the log end offset with each append; replication moves the
high watermark; the last stable offset is where the first undecided transaction begins, if any.

After a failure of the data directory, everything that needs the disk raises `ApiError`
KAFKA_STORAGE_ERROR.
"""

from __future__ import annotations

from typing import Final

from broker.common.topic_partition import TopicPartition
from broker.storage.files.storage_errors import OffsetOutOfRange, StorageErrors
from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log.local_log import LocalLog
from broker.storage.log.log_listener import LogListener
from broker.storage.producers.producer_state import ProducerStateManager
from broker.storage.segments.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata
from broker.storage.segments.read_cache import FetchDataInfo, SliceInfo

# From so many listeners on, those that are closed are dropped.
_LISTENERS_CHECKED: Final = 16


class ReadableLog:
    """The offsets, reads and listeners of a log; it changes no record and no offset."""

    __slots__ = (
        "_high_watermark",
        "_last_stable",
        "_listeners",
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
        producer_state_manager: ProducerStateManager,
    ) -> None:
        self.topic_partition = topic_partition
        self.local_log = local_log
        self.log_start_offset = log_start_offset
        self.producer_state_manager = producer_state_manager
        self.storage_errors = StorageErrors(topic_partition, local_log.disk)
        self._listeners: dict[LogListener, None] | None = None
        self._high_watermark = LogOffsetMetadata(log_start_offset)
        # The last position of a last stable offset below the high watermark.
        self._last_stable = UNKNOWN_OFFSET_METADATA

    def notify_listeners(self) -> None:
        """Call the listeners, because the log or its partition has changed."""
        if self._listeners is not None:
            listeners, self._listeners = self._listeners, None
            for listener in listeners:
                listener.log_changed(self.topic_partition)

    def listen(self, listener: LogListener) -> None:
        """Call *listener* when the log or its partition changes the next time, and only then."""
        listeners = self._listeners
        if listeners is None:
            self._listeners = {listener: None}
            return
        listeners[listener] = None
        count = len(listeners)
        if count >= _LISTENERS_CHECKED and not count & (count - 1):  # at each power of two
            self._listeners = {each: None for each in listeners if not each.is_closed}

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
        if self._last_stable.message_offset != offset:
            self._last_stable = self.offset_metadata(offset)
        return self._last_stable

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

    def aborted_in(
        self, data: FetchDataInfo | SliceInfo, upper: LogOffsetMetadata
    ) -> list[AbortedTxn]:
        """The aborted transactions that may have records in *data*, in the order of their markers.

        *upper* is the bound of the read. Consumers with ``read_committed`` skip these records.
        Raises `ApiError`.
        """
        start = data.offset_metadata
        if start.message_offset >= upper.message_offset:
            return []
        with self.storage_errors:
            segments, end = self.local_log.segments, self.local_log.end.message_offset
            return segments.aborted_in_read(start, len(data.records), end)

    def _check_range(self, offset: int) -> None:
        if not self.log_start_offset <= offset <= self.local_log.end.message_offset:
            raise OffsetOutOfRange(
                f"{self.topic_partition}: offset {offset} is not within "
                f"[{self.log_start_offset}, {self.log_end_offset}]"
            )
