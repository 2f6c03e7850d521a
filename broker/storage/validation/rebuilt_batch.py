"""Encodes the records of a batch again, in another codec (Kafka's ``MemoryRecordsBuilder``)."""

from __future__ import annotations

from broker.storage.log_config import LogConfig
from broker.storage.validation.append import AppendRefused
from protocol.compression import Codec, compress
from protocol.errors import ErrorCode
from protocol.record_batch.fields import are_as_encoded, encoded_again, record_fields
from protocol.record_batch.header import (
    CODEC_MASK,
    DELETE_HORIZON_BIT,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    TIMESTAMP_TYPE_BIT,
    TRANSACTIONAL_BIT,
    BatchHeader,
    read_header,
)
from protocol.record_batch.numbers import int64
from protocol.record_batch.patch import assemble
from protocol.record_batch.scan import RecordsSummary


def rebuilt(
    header: BatchHeader,
    plain: bytes | memoryview,
    summary: RecordsSummary,
    codec: Codec,
    config: LogConfig,
) -> tuple[BatchHeader, memoryview]:
    """A batch of the records in *plain* in another codec, encoded as by a producer.

    Offset deltas are 0, 1, 2, ..., the base timestamp is the first record's, and records have no
    attributes. *header* is that of the received batch, and *summary* describes its records. Raises
    `AppendRefused` UNKNOWN_SERVER_ERROR for what only the encoder refuses. The checksum is not set.
    """
    _check(header, summary)
    count, is_marked = header.records_count, bool(header.attributes & TIMESTAMP_TYPE_BIT)
    if is_marked or not summary.offsets_consecutive or not are_as_encoded(plain, count):
        header = header._replace(base_timestamp=_first_timestamp(header, plain))
        plain = encoded_again(plain, count, same_timestamp=is_marked)
    body = plain if codec is Codec.NONE else compress(codec, plain, config.compression_level(codec))
    attributes = header.attributes & ~(CODEC_MASK | DELETE_HORIZON_BIT) | codec
    batch = assemble(header._replace(attributes=attributes), body)
    return read_header(batch), memoryview(batch)


def _check(header: BatchHeader, summary: RecordsSummary) -> None:
    """Refuse a producer without epoch or sequence number, and negative timestamps."""
    if header.producer_id == NO_PRODUCER_ID:
        if header.attributes & TRANSACTIONAL_BIT:
            raise _refused("a transactional batch has no producer ID")
    elif header.producer_epoch == NO_PRODUCER_EPOCH or header.base_sequence < 0:
        raise _refused("a batch has a producer ID without an epoch or a sequence number")
    lowest = header.base_timestamp + summary.min_timestamp_delta
    highest = header.base_timestamp + summary.max_timestamp_delta
    if header.attributes & TIMESTAMP_TYPE_BIT:
        lowest = highest = header.max_timestamp  # the timestamp of every record
    if min(int64(lowest), int64(highest)) < NO_TIMESTAMP:
        raise _refused("a record has a negative timestamp")


def _first_timestamp(header: BatchHeader, plain: bytes | memoryview) -> int:
    if header.attributes & TIMESTAMP_TYPE_BIT:
        return header.max_timestamp
    first = next(record_fields(plain, 1))
    return int64(header.base_timestamp + first[0])


def _refused(message: str) -> AppendRefused:
    # Not INVALID_RECORD: in Kafka the encoder raises an IllegalArgumentException, and the
    # response has the code of exceptions that are not expected.
    return AppendRefused(ErrorCode.UNKNOWN_SERVER_ERROR, message)
