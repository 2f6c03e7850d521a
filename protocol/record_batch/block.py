"""The records of one batch, encoded one by one (a part of Kafka's ``MemoryRecordsBuilder``)."""

from __future__ import annotations

from protocol.record_batch.batch import sealed_batch
from protocol.record_batch.header import (
    HEADER_BYTES,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
)
from protocol.record_batch.record import Record, encode_record


class RecordBlock:
    """Encoded records without headers, whose timestamp is that of their batch.

    ``size`` is the size of the batch in bytes.
    """

    __slots__ = ("_encoded", "size")

    def __init__(self) -> None:
        self._encoded: list[bytes] = []
        self.size = HEADER_BYTES

    def __len__(self) -> int:
        return len(self._encoded)

    def add(self, key: bytes | None, value: bytes | None) -> None:
        """Add a record."""
        encoded = encode_record(Record(key, value), 0, len(self._encoded))
        self._encoded.append(encoded)
        self.size += len(encoded)

    def to_batch(
        self,
        timestamp: int,
        *,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = NO_PRODUCER_EPOCH,
        base_sequence: int = NO_SEQUENCE,
        attributes: int = 0,
    ) -> bytes:
        """The batch of the records, of which there is at least one; *timestamp* is in ms."""
        count = len(self._encoded)
        assert count, "a batch has at least one record"
        return sealed_batch(
            b"".join(self._encoded),
            records_count=count,
            last_offset_delta=count - 1,
            base_timestamp=timestamp,
            max_timestamp=timestamp,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
            attributes=attributes,
        )
