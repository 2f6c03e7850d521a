"""A log in memory; a test decides when it replicates and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from broker.common.errors import ApiError
from broker.coordinators.coordinator_log import (
    LogSlice,
    TransactionalProducer,
    TransactionEnd,
)
from broker.coordinators.coordinator_record import RawRecord
from protocol.errors import ErrorCode
from protocol.record_batch.batch import records as records_of
from protocol.record_batch.block import RecordBlock
from protocol.record_batch.control import EndTxnMarker
from protocol.record_batch.header import NO_PRODUCER_ID


class KeptLog:
    """Replicates each append until ``slow`` is set, and after that only in `replicate`.

    ``read_max`` is the number of records that a call of `read` returns. *add_action* queues the
    notification after an append; without it, nothing is notified of appends. ``refusal`` is the
    error of appends. ``producers`` are the producers of transactional batches, and ``markers`` the
    arguments of `append_marker`.
    """

    start_offset = 0
    leader_epoch = 0
    batch_bytes_max = 1_048_588

    def __init__(
        self,
        on_high_watermark: Callable[[], None] = lambda: None,
        add_action: Callable[[Callable[[], None]], object] = lambda _: None,
    ) -> None:
        self.records: list[RawRecord | TransactionEnd] = []
        self.batches = 0
        self.producers: list[TransactionalProducer] = []
        self.markers: list[tuple[int, int, EndTxnMarker, int]] = []
        self.slow = False
        self.read_max = 1_000_000
        self.refusal: ErrorCode | None = None
        self.high_watermark = 0
        self._on_high_watermark = on_high_watermark
        self._add_action = add_action

    @property
    def end_offset(self) -> int:
        return len(self.records)

    def read(self, offset: int) -> LogSlice:
        found = self.records[offset : offset + self.read_max]
        return LogSlice(found, offset + len(found))

    def append(
        self,
        records: RecordBlock | Sequence[RawRecord],
        producer: TransactionalProducer | None = None,
    ) -> None:
        producer_id = NO_PRODUCER_ID
        if producer is not None:
            producer_id = producer.producer_id
        if isinstance(records, RecordBlock):
            batch = records.to_batch(0)
            records = [RawRecord(each.key or b"", each.value) for each in records_of(batch)]
        end = self.end_offset
        self._append(
            [
                RawRecord(each.key, each.value, end + index, producer_id)
                for index, each in enumerate(records)
            ]
        )
        if producer is not None:
            self.producers.append(producer)

    def append_marker(
        self,
        producer_id: int,
        producer_epoch: int,
        marker: EndTxnMarker,
        transaction_version: int,
    ) -> None:
        self._append([TransactionEnd(producer_id, not marker.is_abort, self.end_offset)])
        self.markers.append((producer_id, producer_epoch, marker, transaction_version))

    def _append(self, entries: Sequence[RawRecord | TransactionEnd]) -> None:
        if self.refusal is not None:
            raise ApiError(self.refusal)
        self.records += entries
        self.batches += 1
        if not self.slow:
            self.high_watermark = len(self.records)
            self._add_action(self._on_high_watermark)

    def replicate(self) -> None:
        """Move the high watermark to the end of the log, as the fetch of a follower does."""
        self.slow = False
        self.high_watermark = len(self.records)
        self._on_high_watermark()
