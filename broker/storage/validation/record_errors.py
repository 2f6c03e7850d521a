"""Checks the records of a batch one by one, to refuse them with Kafka's messages.

The messages are those of Kafka's ``LogValidator``: clients show them to their users.
"""

from __future__ import annotations

from typing import Final

from broker.common.topic_partition import TopicPartition
from broker.storage.log_config import TARGET_CODECS, LogConfig
from broker.storage.validation.append import AppendRefused
from protocol.errors import ErrorCode
from protocol.record_batch.fields import RecordFields, record_fields
from protocol.record_batch.header import NO_TIMESTAMP, TIMESTAMP_TYPE_BIT, BatchHeader
from protocol.record_batch.numbers import int64

_SHOWN: Final = 3

RecordError = tuple[int, str]


def check_each_record(
    header: BatchHeader,
    block: bytes | memoryview,
    topic_partition: TopicPartition,
    config: LogConfig,
    now_ms: int,
) -> None:
    """Check the decompressed records in *block*; raises `AppendRefused` if any is invalid."""
    error = ErrorCode.INVALID_RECORD
    errors: list[RecordError] = []
    for index, record in enumerate(record_fields(block, header.records_count)):
        if config.is_compacted and record[2] < 0:
            keyless = "Compacted topic cannot accept message without key in topic partition "
            errors.append((index, f"{keyless}{topic_partition}"))
        elif message := _timestamp_error(header, record, config, now_ms):
            error = ErrorCode.INVALID_TIMESTAMP
            errors.append((index, message))
    if errors:
        raise AppendRefused(error, _message_of_batch(error, errors), errors)


def _timestamp_error(
    header: BatchHeader, record: RecordFields, config: LogConfig, now_ms: int
) -> str | None:
    """The message about a timestamp out of range, or about a type that only the broker may set."""
    is_marked = header.attributes & TIMESTAMP_TYPE_BIT
    timestamp = header.max_timestamp if is_marked else int64(header.base_timestamp + record[0])
    if not config.uses_log_append_time and timestamp != NO_TIMESTAMP:
        earliest = now_ms - config.message_timestamp_before_max_ms
        latest = now_ms + config.message_timestamp_after_max_ms
        if earliest <= timestamp <= latest:
            return None
        return (
            f"Timestamp {timestamp} of message with offset {header.base_offset + record[1]} is out "
            f"of range. The timestamp should be within [{earliest}, {int64(latest)}]"
        )
    if not is_marked:
        return None
    return (
        f"Invalid timestamp type in message {_described(header, record, config)}. "
        "Producer should not set timestamp type to LogAppendTime."
    )


def _described(header: BatchHeader, record: RecordFields, config: LogConfig) -> str:
    """A record of a batch marked LogAppendTime, as the ``toString`` of Kafka's class.

    Keys and values are skipped in a compressed batch that need not be encoded again; only then the
    size of null is -1.
    """
    _, offset_delta, key_size, value_size = record
    codec = header.codec
    name = "PartialDefaultRecord"
    if not codec or TARGET_CODECS[config.compression_type] not in (None, codec):
        name, key_size, value_size = "DefaultRecord", max(0, key_size), max(0, value_size)
    return (
        f"{name}(offset={header.base_offset + offset_delta}, timestamp={header.max_timestamp}, "
        f"key={key_size} bytes, value={value_size} bytes)"
    )


def _message_of_batch(error: ErrorCode, errors: list[RecordError]) -> str:
    if error is ErrorCode.INVALID_TIMESTAMP:
        return "One or more records have been rejected due to invalid timestamp"
    shown = ", ".join(
        f"RecordError(batchIndex={index}, message='{message}')"
        for index, message in errors[:_SHOWN]
    )
    return (
        f"One or more records have been rejected due to {len(errors)} record errors in total, and "
        f"only showing the first three errors at most: [{shown}]"
    )
