"""Control batches: records that a broker writes for readers of a log, and consumers skip.

A control batch has one record. Its key is int16 version 0 and int16 type; the value of an
end-transaction marker is int16 version 0 and int32 coordinator epoch (KIP-98, Kafka's
``ControlRecordType`` and ``EndTransactionMarker``).
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple

from protocol.compression import Buffer
from protocol.record_batch.batch import build_batch, records
from protocol.record_batch.header import CONTROL_BIT, TRANSACTIONAL_BIT
from protocol.record_batch.record import Record

_KEY: Final = Struct(">hh")  # version, type
_VALUE: Final = Struct(">hi")  # version, coordinator epoch
_VERSION: Final = 0


class ControlRecordType(IntEnum):
    """What the record of a control batch says; the broker reads only the first two."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


class EndTxnMarker(NamedTuple):
    """The record of a control batch that ends a transaction."""

    is_abort: bool
    coordinator_epoch: int


def end_txn_marker(batch: Buffer) -> EndTxnMarker | None:
    """The end-transaction marker in a control batch; None if it is of another type, or empty."""
    for record in records(batch):
        key, value = record.key or b"", record.value or b""
        if len(key) < _KEY.size or len(value) < _VALUE.size:
            return None
        _, kind = _KEY.unpack_from(key)
        _, coordinator_epoch = _VALUE.unpack_from(value)
        if kind in (ControlRecordType.ABORT, ControlRecordType.COMMIT):
            return EndTxnMarker(kind == ControlRecordType.ABORT, coordinator_epoch)
        return None
    return None


def build_end_txn_marker(
    marker: EndTxnMarker,
    *,
    producer_id: int,
    producer_epoch: int,
    timestamp: int,
    base_offset: int = 0,
) -> bytes:
    """Build the control batch that ends a producer's transaction in one partition."""
    kind = ControlRecordType.ABORT if marker.is_abort else ControlRecordType.COMMIT
    key, value = _KEY.pack(_VERSION, kind), _VALUE.pack(_VERSION, marker.coordinator_epoch)
    return build_batch(
        [Record(key, value, timestamp=timestamp)],
        base_offset=base_offset,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        attributes=TRANSACTIONAL_BIT | CONTROL_BIT,
    )
