"""The words of an append: who appends, what came of it, why it was refused.

Also the look at a produce request's records that comes before any log is asked (Kafka's
``ProduceRequest.validateRecords``).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from struct import Struct
from typing import NamedTuple

from protocol.compression import Codec
from protocol.errors import ErrorCode
from protocol.record_batch.header import (
    CODEC_MASK,
    HEADER_BYTES,
    LOG_OVERHEAD,
    MAGIC_V2,
    BatchHeader,
    read_header,
)

_MAGIC_AND_ATTRIBUTES = Struct(">16xb4xh")
_LENGTH = Struct(">8xi")
_MAGIC_POSITION = 16
_SHORTEST_LENGTH = 14  # the overhead of magic 0, the shortest of all formats
_ZSTD_SINCE = 7  # Produce version, KIP-110


class AppendOrigin(Enum):
    """Who appends; a client's batches are checked the most."""

    CLIENT = 0
    COORDINATOR = 1
    REPLICATION = 2


class LogAppendInfo(NamedTuple):
    """What an append did. A duplicate did nothing: these are the first batch's offsets then.

    ``log_append_time`` is -1 unless the broker's time was put into the records.
    """

    first_offset: int
    last_offset: int
    log_append_time: int
    log_start_offset: int
    duplicate: bool
    max_timestamp: int


class AppendRefused(Exception):  # noqa: N818 - it names what happened to the append
    """Nothing was appended: Kafka's error code, and the offending records by index, if any."""

    def __init__(
        self,
        error: ErrorCode,
        message: str | None = None,
        record_errors: Sequence[tuple[int, str | None]] = (),
    ) -> None:
        super().__init__(message or error.name)
        self.error = error
        self.message = message
        self.record_errors = record_errors


def first_batch_problem(records: memoryview, produce_version: int) -> ErrorCode:
    """Why these are not the one v2 batch that a produce request may carry; NONE if they are.

    CORRUPT_MESSAGE refuses every partition of the request, the other errors only this one.
    """
    try:
        size = batch_size_at(records, 0)
        if size is None:
            return ErrorCode.INVALID_RECORD
        magic, attributes = _MAGIC_AND_ATTRIBUTES.unpack_from(records)
        if magic != MAGIC_V2:
            return ErrorCode.INVALID_RECORD
        if produce_version < _ZSTD_SINCE and attributes & CODEC_MASK == Codec.ZSTD:
            return ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        if size != len(records) and batch_size_at(records, size) is not None:
            return ErrorCode.INVALID_RECORD
    except AppendRefused as refusal:
        return refusal.error
    return ErrorCode.NONE


def only_batch(records: memoryview, produce_version: int) -> tuple[BatchHeader, memoryview]:
    """The one batch in *records*: its header, and itself, writable.

    Nearly always there is nothing else, as the header tells. Raises `AppendRefused` without one.
    """
    if len(records) >= HEADER_BYTES:
        header = read_header(records)
        whole = header.magic == MAGIC_V2 and header.batch_length == len(records) - LOG_OVERHEAD
        if whole and produce_version >= _ZSTD_SINCE:
            return header, _writable(records)
    error = first_batch_problem(records, produce_version)
    if error:
        raise AppendRefused(error, "there must be one batch, of format v2")
    if len(records) < HEADER_BYTES:
        raise shorter_than_header()
    header = read_header(records)
    size = LOG_OVERHEAD + header.batch_length
    if size < HEADER_BYTES:
        raise shorter_than_header()
    return header, _writable(records[:size])


def _writable(batch: memoryview) -> memoryview:
    return memoryview(bytearray(batch)) if batch.readonly else batch


def shorter_than_header() -> AppendRefused:
    """The refusal of a batch of another format, or of nonsense."""
    return AppendRefused(ErrorCode.CORRUPT_MESSAGE, "a batch is shorter than its header")


def batch_size_at(records: memoryview, position: int) -> int | None:
    """Size of the batch at *position*, None if it is not all there (``ByteBufferLogInputStream``).

    Raises `AppendRefused` CORRUPT_MESSAGE for a length or magic that no format has.
    """
    remaining = len(records) - position
    if remaining < LOG_OVERHEAD:
        return None
    (length,) = _LENGTH.unpack_from(records, position)
    if length < _SHORTEST_LENGTH:
        raise AppendRefused(ErrorCode.CORRUPT_MESSAGE, f"a batch claims a length of {length} bytes")
    if remaining <= _MAGIC_POSITION:
        return None
    magic = records[position + _MAGIC_POSITION]
    if magic > MAGIC_V2:
        raise AppendRefused(ErrorCode.CORRUPT_MESSAGE, f"a batch claims magic {magic}")
    size = LOG_OVERHEAD + int(length)
    return size if size <= remaining else None
