"""Record batches as producers send them, for tests."""

from __future__ import annotations

from typing import Any

from protocol.compression import Buffer
from protocol.record_batch.batch import build_batch
from protocol.record_batch.header import HEADER, HEADER_BYTES, read_header
from protocol.record_batch.patch import seal
from protocol.record_batch.record import Record
from tests.client import EPOCH_MS

TIMESTAMP_MS = int(EPOCH_MS)


def batch(*values: bytes | None, timestamp: int = TIMESTAMP_MS, **header: Any) -> bytes:
    """Build a batch of records with these values and no keys."""
    return build_batch([Record(None, value, timestamp=timestamp) for value in values], **header)


def with_header(data: Buffer, **fields: int) -> memoryview:
    """A copy of the batch *data* with other values in these header fields; not sealed."""
    header = read_header(data)._replace(**fields)
    return memoryview(bytearray(HEADER.pack(*header) + bytes(data[HEADER_BYTES:])))


def resealed(data: Buffer, **fields: int) -> memoryview:
    """A copy of the batch *data* with other header fields and a valid checksum."""
    return memoryview(bytearray(seal(bytearray(with_header(data, **fields)))))
