"""What a leader checks of a batch, and what it writes into it (Kafka's ``LogValidator``).

`validate` is a pure function of the batch and the log's settings, so it may run in a worker thread;
`assign` gives the batch its place in the log. A batch that is in order is patched where it is: base
offset and leader epoch, which the checksum does not cover, and timestamp type and largest timestamp
only if they change. The producer's records stay as they are unless the topic wants another
compression, or offsets inside are not consecutive.
"""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from crc32c import crc32c

from broker.steps.offload import Outcome
from broker.storage.append import (
    AppendOrigin,
    AppendRefused,
    batch_size_at,
    shorter_than_header,
)
from broker.storage.log_config import TARGET_CODECS, LogConfig
from broker.storage.loop_budget import Budget
from protocol.compression import (
    ZSTD_BYTES_MAX,
    Codec,
    compress,
    decompress,
    decompressed_slices,
    slices,
)
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from protocol.record_batch.batch import DECOMPRESSED_BYTES_MAX
from protocol.record_batch.fields import record_timestamps_and_keys, renumber
from protocol.record_batch.header import (
    CODEC_MASK,
    CONTROL_BIT,
    CRC_START,
    DELETE_HORIZON_BIT,
    HEADER,
    HEADER_BYTES,
    LOG_OVERHEAD,
    NO_TIMESTAMP,
    TIMESTAMP_TYPE_BIT,
    BatchHeader,
    check_crc,
    read_header,
)
from protocol.record_batch.numbers import InvalidRecord
from protocol.record_batch.scan import RecordsSummary, are_large, summarise, summarise_pieces

_OFFSET_LENGTH_EPOCH = Struct(">qii")
_CRC = Struct(">I")
_ATTRIBUTES = Struct(">h")
_MAX_TIMESTAMP = Struct(">q")
_CRC_POSITION = 17
_MAX_TIMESTAMP_POSITION = 35

_KNOWN_ATTRIBUTES = 0x7F
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1


class ValidBatch(NamedTuple):
    """A batch whose records are in order: all of it but its place in the log.

    ``sealed``: its records are as the producer has sent them, and so is its checksum.
    """

    header: BatchHeader
    batch: memoryview
    max_timestamp_delta: int
    sealed: bool
    config: LogConfig


# A batch as it was received, or what its validation came to.
Appendable = memoryview | Outcome[ValidBatch]


def validate(
    header: BatchHeader,
    batch: memoryview,
    origin: AppendOrigin,
    config: LogConfig,
    now_ms: int,
    budget: Budget | None = None,
) -> ValidBatch:
    """Check a batch and its records, and rebuild it if the log's settings ask for that.

    Raises `AppendRefused`, and `ExceedsBudget` as soon as the records cost more than *budget*.
    """
    _check_batch(header, batch, origin, config)
    if origin is AppendOrigin.CLIENT:
        _check_client_header(header)
    codec = header.attributes & CODEC_MASK
    block = batch[HEADER_BYTES:]
    try:
        summary = _summary(codec, block, header.records_count, budget)
    except InvalidRecord as error:
        raise AppendRefused(ErrorCode.INVALID_RECORD, str(error)) from None
    except CorruptRecords as error:
        raise _undecodable(error) from None
    _check_records(header, block, summary, config, now_ms)
    target = TARGET_CODECS[config.compression_type]
    sealed = (target is None or target == codec) and (summary.offsets_consecutive or not codec)
    if not sealed:
        target = Codec(codec) if target is None else target
        header, batch = _rebuilt(header, block, summary, target, config)
        if len(batch) > config.max_message_bytes:
            raise too_large(len(batch), config)
    # As `ValidBatch._make` does, without the call.
    return tuple.__new__(ValidBatch, (header, batch, summary[0], sealed, config))


def _check_batch(
    header: BatchHeader, batch: memoryview, origin: AppendOrigin, config: LogConfig
) -> None:
    """Refuse a batch by its size, base offset or checksum: what is known without its records."""
    if origin is AppendOrigin.CLIENT and header.base_offset:
        raise AppendRefused(
            ErrorCode.INVALID_RECORD,
            f"the base offset of a batch from a client is 0, not {header.base_offset}",
        )
    if len(batch) > config.max_message_bytes:
        raise too_large(len(batch), config)
    if header.crc != crc32c(batch[CRC_START:]):
        raise wrong_checksum()
    if header.attributes & CODEC_MASK > Codec.ZSTD:
        # Not UNSUPPORTED_COMPRESSION_TYPE: Kafka's own lookup of the codec fails unexpectedly.
        raise AppendRefused(ErrorCode.UNKNOWN_SERVER_ERROR, "a batch claims an unknown codec")


def _summary(codec: int, block: memoryview, count: int, budget: Budget | None) -> RecordsSummary:
    if budget is not None:
        return budget.summarise(codec, block, count)
    if not codec:
        return summarise(block, count)
    if codec == Codec.ZSTD:
        block = memoryview(decompress(codec, block, ZSTD_BYTES_MAX))
        if are_large(block, count):
            return summarise(block, count)
        return summarise_pieces(slices(block), count)
    return summarise_pieces(decompressed_slices(codec, block), count)


def _decompressed(header: BatchHeader, block: memoryview) -> bytes | memoryview:
    """All records of a batch that has been walked; rarely needed."""
    codec = header.attributes & CODEC_MASK
    try:
        return decompress(codec, block, DECOMPRESSED_BYTES_MAX) if codec else block
    except CorruptRecords as error:
        raise _undecodable(error) from None


def _undecodable(error: CorruptRecords) -> AppendRefused:
    # Not INVALID_RECORD: Kafka lets its decompressors' failures through as unexpected.
    return AppendRefused(ErrorCode.UNKNOWN_SERVER_ERROR, str(error))


def wrong_checksum() -> AppendRefused:
    """The refusal of a batch whose checksum is not the one of its bytes."""
    return AppendRefused(ErrorCode.CORRUPT_MESSAGE, "the checksum of a batch is wrong")


def check_replicated(records: memoryview, next_offset: int, leader_epoch: int) -> list[BatchHeader]:
    """The headers of the batches that a follower may write as they are.

    Those are all whole ones up to the first from an epoch above *leader_epoch* (KAFKA-18723).
    """
    headers: list[BatchHeader] = []
    position = 0
    while (size := batch_size_at(records, position)) is not None:
        batch = records[position : position + size]
        if size < HEADER_BYTES:
            raise shorter_than_header()
        header = read_header(batch)
        if header.partition_leader_epoch > leader_epoch:
            break
        if not check_crc(batch, 0, header):
            raise wrong_checksum()
        if header.base_offset < next_offset or header.last_offset_delta < 0:
            raise AppendRefused(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                f"a batch begins at {header.base_offset}, where {next_offset} is next",
            )
        next_offset = header.next_offset
        headers.append(header)
        position += size
    return headers


def too_large(size: int, config: LogConfig) -> AppendRefused:
    """The refusal of a batch beyond ``max.message.bytes``."""
    return AppendRefused(
        ErrorCode.MESSAGE_TOO_LARGE,
        f"a batch of {size} bytes exceeds max.message.bytes, {config.max_message_bytes}",
    )


def _check_client_header(header: BatchHeader) -> None:
    """What only a client could get wrong."""
    count, last_delta = header.records_count, header.last_offset_delta
    if last_delta < 0 or count != last_delta + 1:
        raise AppendRefused(
            ErrorCode.INVALID_RECORD,
            f"a batch claims {count} records in a range of {last_delta + 1} offsets",
        )
    if header.attributes & CONTROL_BIT:
        raise AppendRefused(ErrorCode.INVALID_RECORD, "clients write no control batches")
    if header.producer_id >= 0 and header.base_sequence < 0:
        raise AppendRefused(
            ErrorCode.INVALID_RECORD,
            f"producer {header.producer_id} sent the sequence number {header.base_sequence}",
        )


def _check_records(
    header: BatchHeader,
    block: memoryview,
    summary: RecordsSummary,
    config: LogConfig,
    now_ms: int,
) -> None:
    """Refuse records without a key in a compacted log, and timestamps out of range."""
    earliest = now_ms - config.message_timestamp_before_max_ms
    latest = now_ms + config.message_timestamp_after_max_ms
    base = header.base_timestamp
    if (
        (summary.has_null_key and config.is_compacted)
        or header.attributes & TIMESTAMP_TYPE_BIT
        or not (
            earliest <= base + summary.min_timestamp_delta
            and base + summary.max_timestamp_delta <= latest
        )
    ):
        _refuse_records(header, _decompressed(header, block), config, earliest, latest)


def _refuse_records(
    header: BatchHeader, block: bytes | memoryview, config: LogConfig, earliest: int, latest: int
) -> None:
    """Find the offending records one by one and refuse the batch for them, if there are any."""
    errors: list[tuple[int, str | None]] = []
    untimely = False
    marked = bool(header.attributes & TIMESTAMP_TYPE_BIT)
    for index, (delta, has_key) in enumerate(
        record_timestamps_and_keys(block, header.records_count)
    ):
        timestamp = header.max_timestamp if marked else _int64(header.base_timestamp + delta)
        if config.is_compacted and not has_key:
            errors.append((index, "a compacted topic takes no record without a key"))
        elif not config.uses_log_append_time and timestamp != NO_TIMESTAMP:
            if not earliest <= timestamp <= latest:
                untimely = True
                errors.append(
                    (index, f"timestamp {timestamp} is not within [{earliest}, {latest}]")
                )
        elif marked:
            untimely = True
            errors.append((index, "a producer does not set the timestamp type LogAppendTime"))
    if untimely:
        raise AppendRefused(
            ErrorCode.INVALID_TIMESTAMP,
            "one or more records were refused for their timestamps",
            errors,
        )
    if errors:
        first = "; ".join(f"{index}: {text}" for index, text in errors[:3])
        raise AppendRefused(
            ErrorCode.INVALID_RECORD,
            f"{len(errors)} records were refused, the first of them: {first}",
            errors,
        )


def _rebuilt(
    header: BatchHeader,
    block: memoryview,
    summary: RecordsSummary,
    codec: Codec,
    config: LogConfig,
) -> tuple[BatchHeader, memoryview]:
    """The batch with its records in another codec, and numbered 0, 1, 2, ... inside."""
    plain = _decompressed(header, block)
    if not summary.offsets_consecutive:
        plain = renumber(plain, header.records_count)
    body = plain if codec is Codec.NONE else compress(codec, plain, config.compression_level(codec))
    batch = bytearray(HEADER_BYTES + len(body))
    batch[HEADER_BYTES:] = body
    header = header._replace(
        batch_length=len(batch) - LOG_OVERHEAD,
        attributes=header.attributes & ~(CODEC_MASK | DELETE_HORIZON_BIT) | codec,
    )
    HEADER.pack_into(batch, 0, *header)
    return header, memoryview(batch)


def assign(
    valid: ValidBatch, next_offset: int, leader_epoch: int, now_ms: int
) -> tuple[memoryview, int]:
    """Number the records from *next_offset*; the batch, which must be writable, is patched.

    Returns it as it is to be written, and its largest timestamp.
    """
    header, batch, max_timestamp_delta, sealed, config = valid
    _OFFSET_LENGTH_EPOCH.pack_into(batch, 0, next_offset, header.batch_length, leader_epoch)
    attributes = header.attributes
    if config.uses_log_append_time:
        max_timestamp = now_ms
        attributes |= TIMESTAMP_TYPE_BIT
    elif attributes & TIMESTAMP_TYPE_BIT:
        max_timestamp = header.max_timestamp  # which stood for every record so far
        attributes &= ~TIMESTAMP_TYPE_BIT
    else:
        max_timestamp = max(NO_TIMESTAMP, _int64(header.base_timestamp + max_timestamp_delta))
    if not sealed or max_timestamp != header.max_timestamp or attributes != header.attributes:
        _MAX_TIMESTAMP.pack_into(batch, _MAX_TIMESTAMP_POSITION, max_timestamp)
        _ATTRIBUTES.pack_into(batch, CRC_START, attributes & _KNOWN_ATTRIBUTES)
        _CRC.pack_into(batch, _CRC_POSITION, crc32c(batch[CRC_START:]))
    return batch, max_timestamp


def _int64(number: int) -> int:
    """*number* with Java's overflow."""
    if _INT64_MIN <= number <= _INT64_MAX:
        return number
    return (number + 2**63) % 2**64 + _INT64_MIN
