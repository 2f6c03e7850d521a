"""What an append is given and returns, and the checks that need no log.

`first_batch_problem` is Kafka's ``ProduceRequest.validateRecords``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from protocol.compression import Codec
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.record_batch.header import (
    HEADER_BYTES,
    LOG_OVERHEAD,
    MAGIC_V2,
    BatchHeader,
    read_header,
)
from protocol.record_batch.peek import batch_size_at, magic_and_codec

_NONE: Final = ErrorCode.NONE

_ZSTD_SINCE: Final = 7  # Produce version, KIP-110


class AppendOrigin(Enum):
    """Who appends. The checks of a batch depend on it; those for clients are the strictest."""

    CLIENT = 0
    COORDINATOR = 1
    REPLICATION = 2


@dataclass(slots=True)
class LogAppendInfo:
    """The result of an append. For a duplicate, which is not written, the offsets are the first's.

    ``log_append_time`` is -1 unless the records have the broker's time.
    """

    first_offset: int
    last_offset: int
    log_append_time: int
    log_start_offset: int
    duplicate: bool
    max_timestamp: int


class ReceivedBatch:
    """Records as they were received, which must be one batch; a client may send anything.

    ``header`` is that of their first batch, not yet checked; None if they are shorter than it.
    """

    __slots__ = ("header", "records")

    def __init__(self, records: memoryview, header: BatchHeader | None) -> None:
        self.records = records
        self.header = header

    def copied(self) -> ReceivedBatch:
        """The same in memory of their own."""
        return ReceivedBatch(memoryview(bytearray(self.records)), self.header)


def received(records: memoryview) -> ReceivedBatch:
    """Decode the header of *records*, once for all checks."""
    header = read_header(records) if len(records) >= HEADER_BYTES else None
    return ReceivedBatch(records, header)


class AppendRefused(Exception):  # noqa: N818 - it names what happened to the append
    """The append was refused, and the log has not changed.

    ``record_errors`` are the invalid records by index in the batch, each with a message.
    """

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


def _is_whole(batch: ReceivedBatch, produce_version: int) -> bool:
    """Whether the header shows that *batch* is one v2 batch and nothing else, as nearly always."""
    header = batch.header
    return (
        header is not None
        and header.batch_length == len(batch.records) - LOG_OVERHEAD
        and header.magic == MAGIC_V2
        and produce_version >= _ZSTD_SINCE
    )


def first_batch_problem(batch: ReceivedBatch, produce_version: int) -> ErrorCode:
    """The error of records that are not exactly one v2 batch; NONE if they are.

    CORRUPT_MESSAGE of the first batch fails every partition of the request (see `corruption`), the
    other errors only this one.
    """
    if _is_whole(batch, produce_version):
        return _NONE
    records = batch.records
    try:
        size = batch_size_at(records, 0)
        if size is None:
            return ErrorCode.INVALID_RECORD
        magic, codec = magic_and_codec(records)
        if magic != MAGIC_V2:
            return ErrorCode.INVALID_RECORD
        if produce_version < _ZSTD_SINCE and codec == Codec.ZSTD:
            return ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        if size != len(records) and batch_size_at(records, size) is not None:
            return ErrorCode.INVALID_RECORD
    except CorruptRecords:
        return ErrorCode.CORRUPT_MESSAGE
    return _NONE


def corruption(batch: ReceivedBatch) -> str | None:
    """Kafka's message about a first batch that is CORRUPT_MESSAGE; None if what follows it is."""
    try:
        batch_size_at(batch.records, 0)
    except CorruptRecords as error:
        return str(error)
    return None


def only_batch(batch: ReceivedBatch, produce_version: int) -> tuple[BatchHeader, memoryview]:
    """The header and the writable bytes of the one batch; raises `AppendRefused`."""
    records, header = batch.records, batch.header
    if header is not None and _is_whole(batch, produce_version):
        return header, _writable(records)
    error = first_batch_problem(batch, produce_version)
    if error:
        raise AppendRefused(error, "the records must be one batch of format v2")
    if header is None:
        raise shorter_than_header()
    size = LOG_OVERHEAD + header.batch_length
    if size < HEADER_BYTES:
        raise shorter_than_header()
    return header, _writable(records[:size])


def _writable(batch: memoryview) -> memoryview:
    return memoryview(bytearray(batch)) if batch.readonly else batch


def shorter_than_header() -> AppendRefused:
    """The refusal of bytes that are too few for a v2 header."""
    return AppendRefused(ErrorCode.CORRUPT_MESSAGE, "a batch is shorter than its header")
