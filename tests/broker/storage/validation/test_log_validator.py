"""Tests of what a leader checks and rewrites: `broker.storage.validation.log_validator`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.storage.log_config import LogConfig
from broker.storage.validation.append import AppendOrigin, AppendRefused
from broker.storage.validation.log_validator import (
    assign,
    check_replicated,
    validate,
)
from protocol.compression import Codec
from protocol.errors import ErrorCode
from protocol.record_batch.batch import records
from protocol.record_batch.header import (
    CONTROL_BIT,
    HEADER_BYTES,
    TIMESTAMP_TYPE_BIT,
    check_crc,
    read_header,
)
from protocol.record_batch.record import Record
from tests.batches import resealed
from tests.broker.storage.logs import NOW_MS, ORDERS, batch, batch_of

COMPRESSED = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]


def validated(
    data: memoryview, *, origin: AppendOrigin = AppendOrigin.CLIENT, **config: Any
) -> tuple[memoryview, int]:
    valid = validate(read_header(data), data, origin, ORDERS, LogConfig(**config), NOW_MS)
    return assign(valid, 100, 3, NOW_MS)


def refusal(data: memoryview, **config: Any) -> AppendRefused:
    with pytest.raises(AppendRefused) as refused:
        validated(data, **config)
    return refused.value


@pytest.mark.parametrize("codec", list(Codec))
def test_a_valid_batch_keeps_its_bytes(codec: Codec) -> None:
    """Only base offset and leader epoch are written, whatever the codec."""
    sent = batch(5, codec=codec)
    before = bytes(sent)
    stored, max_timestamp = validated(sent)
    kept = read_header(stored)._replace(base_offset=0, partition_leader_epoch=-1)
    assert kept == read_header(before)
    assert bytes(stored[HEADER_BYTES:]) == before[HEADER_BYTES:]
    assert max_timestamp == NOW_MS
    assert [record.offset for record in records(stored)] == [100, 101, 102, 103, 104]
    assert read_header(stored).partition_leader_epoch == 3


@pytest.mark.parametrize("codec", list(Codec))
def test_log_append_time_is_written_and_sealed(codec: Codec) -> None:
    """The header has the broker's time; the checksum is computed again."""
    data = batch(3, timestamp=12, codec=codec)
    stored, max_timestamp = validated(data, message_timestamp_type="LogAppendTime")
    header = read_header(stored)
    assert (header.max_timestamp, max_timestamp) == (NOW_MS, NOW_MS)
    assert header.is_log_append_time
    assert check_crc(stored, header)
    assert {record.timestamp for record in records(stored)} == {NOW_MS}


def test_a_wrong_maximum_timestamp_is_corrected() -> None:
    """It is computed from the records, and so is the checksum."""
    stored, max_timestamp = validated(resealed(batch(2), max_timestamp=5))
    assert max_timestamp == NOW_MS
    assert check_crc(stored, read_header(stored))


@pytest.mark.parametrize("origin", COMPRESSED)
@pytest.mark.parametrize("wanted", ["uncompressed", "gzip", "snappy", "lz4", "zstd"])
def test_a_batch_is_recompressed_with_the_codec_of_the_topic(origin: Codec, wanted: str) -> None:
    """The records stay the same."""
    values = [Record(b"k%d" % i, b"v" * 100, [("h", b"x")], NOW_MS + i) for i in range(10)]
    stored, _ = validated(batch_of(values, codec=origin), compression_type=wanted)
    header = read_header(stored)
    expected = Codec.NONE if wanted == "uncompressed" else Codec[wanted.upper()]
    assert header.codec == expected
    assert header.size == len(stored)
    assert check_crc(stored, header)
    kept = [replace(record, headers=list(record.headers)) for record in records(stored)]
    assert kept == [replace(record, offset=100 + i) for i, record in enumerate(values)]


def test_recompression_may_make_a_batch_too_large() -> None:
    """The limit applies to the stored batch."""
    data = batch(50, size=100, codec=Codec.ZSTD)
    limit = len(data) + 100
    refused = refusal(data, compression_type="uncompressed", max_message_bytes=limit)
    assert refused.error is ErrorCode.MESSAGE_TOO_LARGE


def test_a_wrong_checksum_is_corrupt() -> None:
    """One changed bit in the records is enough."""
    data = batch(3)
    data[-1] ^= 1
    assert refusal(data).error is ErrorCode.CORRUPT_MESSAGE


def test_a_batch_beyond_the_limit_is_too_large() -> None:
    """The size is checked before the checksum."""
    data = batch(3)
    data[-1] ^= 1
    limit = len(data) - 1
    assert refusal(data, max_message_bytes=limit).error is ErrorCode.MESSAGE_TOO_LARGE


def test_a_base_offset_from_a_client_must_be_zero() -> None:
    """The base offset is checked before the size."""
    refused = refusal(batch(3, base_offset=5), max_message_bytes=10)
    assert refused.error is ErrorCode.INVALID_RECORD


def test_an_unknown_codec_is_an_unknown_server_error() -> None:
    """As in Kafka, where the lookup of the codec fails with an unexpected exception."""
    assert refusal(resealed(batch(), attributes=6)).error is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_block_that_cannot_be_decompressed_is_an_unknown_server_error() -> None:
    """As in Kafka, where the exception of the decompressor propagates."""
    data = batch(3, codec=Codec.ZSTD)
    data[HEADER_BYTES : HEADER_BYTES + 4] = b"\x00" * 4
    refused = refusal(resealed(data))
    assert refused.error is ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("records_count", 2),
        ("records_count", 0),
        ("records_count", -1),
        ("last_offset_delta", -1),
        ("last_offset_delta", 7),
    ],
)
def test_count_and_offset_range_must_agree(field: str, value: int) -> None:
    """A client cannot claim offsets for which it sends no records."""
    assert refusal(resealed(batch(3), **{field: value})).error is ErrorCode.INVALID_RECORD


def test_a_control_batch_from_a_client_is_invalid() -> None:
    """Only coordinators write markers."""
    assert refusal(batch(attributes=CONTROL_BIT)).error is ErrorCode.INVALID_RECORD


def test_a_producer_id_needs_a_sequence_number() -> None:
    """A batch with a producer ID and no base sequence is invalid."""
    assert refusal(batch(producer_id=4, producer_epoch=0)).error is ErrorCode.INVALID_RECORD


def test_malformed_records_are_invalid_without_indexes() -> None:
    """The check ends at the first malformed record, as in Kafka."""
    data = batch(2)
    data[HEADER_BYTES] += 2
    refused = refusal(resealed(data))
    assert (refused.error, list(refused.record_errors)) == (ErrorCode.INVALID_RECORD, [])


@pytest.mark.parametrize("codec", list(Codec))
def test_records_without_keys_in_a_compacted_topic_are_reported(codec: Codec) -> None:
    """Each of them by its index in the batch."""
    values = [Record(key, b"v", timestamp=NOW_MS) for key in (b"k", None, b"k", None)]
    refused = refusal(batch_of(values, codec=codec), cleanup_policy=("compact", "delete"))
    assert refused.error is ErrorCode.INVALID_RECORD
    assert [index for index, _ in refused.record_errors] == [1, 3]


def test_records_without_keys_have_kafkas_messages() -> None:
    """That of the batch has the first three."""
    refused = refusal(batch(5), cleanup_policy=("compact",))
    keyless = "Compacted topic cannot accept message without key in topic partition orders-0"
    shown = ", ".join(f"RecordError(batchIndex={index}, message='{keyless}')" for index in range(3))
    assert refused.record_errors == [(index, keyless) for index in range(5)]
    assert refused.message == (
        "One or more records have been rejected due to 5 record errors in total, and only showing "
        f"the first three errors at most: [{shown}]"
    )


def test_a_timestamp_out_of_range_has_kafkas_message() -> None:
    """The offset is the one that the producer has written."""
    values = [Record(None, b"v", timestamp=NOW_MS - 1001, offset=5)]
    sent = resealed(batch_of(values), last_offset_delta=0)
    refused = refusal(sent, message_timestamp_before_max_ms=1000)
    assert refused.message == "One or more records have been rejected due to invalid timestamp"
    ((index, message),) = refused.record_errors
    assert index == 0
    assert message == (
        f"Timestamp {NOW_MS - 1001} of message with offset 5 is out of range. The timestamp should "
        f"be within [{NOW_MS - 1000}, {NOW_MS + 3_600_000}]"
    )


@pytest.mark.parametrize(
    ("codec", "wanted", "described"),
    [
        (Codec.NONE, "producer", "DefaultRecord(offset=0, timestamp={}, key=0 bytes, value=10"),
        (Codec.LZ4, "gzip", "DefaultRecord(offset=0, timestamp={}, key=0 bytes, value=10"),
        (Codec.LZ4, "lz4", "PartialDefaultRecord(offset=0, timestamp={}, key=-1 bytes, value=10"),
    ],
)
def test_a_wrong_timestamp_type_has_kafkas_message(
    codec: Codec, wanted: str, described: str
) -> None:
    """The class of Kafka's record depends on whether the batch must be encoded again."""
    refused = refusal(
        batch(attributes=TIMESTAMP_TYPE_BIT, codec=codec),
        message_timestamp_type="LogAppendTime",
        compression_type=wanted,
    )
    assert refused.record_errors == [
        (
            0,
            (
                f"Invalid timestamp type in message {described.format(NOW_MS)} bytes). "
                "Producer should not set timestamp type to LogAppendTime."
            ),
        )
    ]


def test_a_compacted_topic_accepts_records_with_keys() -> None:
    """A null value is a tombstone."""
    data = batch_of([Record(b"k", None, timestamp=NOW_MS)])
    assert validated(data, cleanup_policy=("compact",))[1] == NOW_MS


@pytest.mark.parametrize("timestamp", [NOW_MS - 1001, NOW_MS + 3_600_001, 0])
def test_timestamps_out_of_range_are_reported(timestamp: int) -> None:
    """There is a limit before and one after the broker's time."""
    values = [Record(None, b"v", timestamp=time) for time in (NOW_MS, timestamp)]
    refused = refusal(batch_of(values), message_timestamp_before_max_ms=1000)
    assert refused.error is ErrorCode.INVALID_TIMESTAMP
    assert [index for index, _ in refused.record_errors] == [1]


@pytest.mark.parametrize("timestamp", [NOW_MS - 1000, NOW_MS + 3_600_000, -1])
def test_timestamps_at_the_limits_are_accepted(timestamp: int) -> None:
    """The limits are inclusive, and -1, no timestamp, is always accepted."""
    values = [Record(None, b"v", timestamp=time) for time in (NOW_MS, timestamp)]
    assert validated(batch_of(values), message_timestamp_before_max_ms=1000)


def test_a_timestamp_error_takes_precedence_over_a_missing_key() -> None:
    """Both records are reported, with INVALID_TIMESTAMP."""
    values = [Record(None, b"v", timestamp=NOW_MS), Record(b"k", b"v", timestamp=NOW_MS * 2)]
    refused = refusal(batch_of(values), cleanup_policy=("compact",))
    assert refused.error is ErrorCode.INVALID_TIMESTAMP
    assert [index for index, _ in refused.record_errors] == [0, 1]


def test_with_log_append_time_any_timestamp_is_accepted() -> None:
    """It is replaced."""
    assert validated(batch(timestamp=1), message_timestamp_type="LogAppendTime")


def test_the_log_append_time_bit_from_a_producer_is_invalid() -> None:
    """On a topic with LogAppendTime only the broker sets it."""
    data = batch(attributes=TIMESTAMP_TYPE_BIT)
    refused = refusal(data, message_timestamp_type="LogAppendTime")
    assert refused.error is ErrorCode.INVALID_TIMESTAMP


def test_the_log_append_time_bit_is_cleared_on_a_create_time_topic() -> None:
    """As in Kafka the maximum timestamp is then that of all records, if it is in range."""
    stored, max_timestamp = validated(batch(attributes=TIMESTAMP_TYPE_BIT))
    header = read_header(stored)
    assert not header.is_log_append_time
    assert max_timestamp == NOW_MS
    assert check_crc(stored, header)


def test_a_timestamp_that_overflows_is_out_of_range() -> None:
    """Base timestamp and delta are added with Java's 64-bit overflow."""
    data = resealed(batch(), base_timestamp=2**63 - 1)
    data[HEADER_BYTES + 2] = 2
    refused = refusal(resealed(data))
    assert refused.error is ErrorCode.INVALID_TIMESTAMP
    assert "-9223372036854775808" in str(refused.record_errors)


def test_replicated_batches_must_follow_the_log_end() -> None:
    """Offsets never decrease."""
    with pytest.raises(AppendRefused):
        check_replicated(batch(2, base_offset=3), 4, 0)


def test_replicated_batches_are_checked_for_damage() -> None:
    """Every replica checks the checksum."""
    data = batch(2, base_offset=4)
    data[-1] ^= 1
    with pytest.raises(AppendRefused) as refused:
        check_replicated(data, 4, 0)
    assert refused.value.error is ErrorCode.CORRUPT_MESSAGE


def test_replicated_batches_may_skip_offsets() -> None:
    """Compaction leaves gaps between batches."""
    headers = check_replicated(batch(2, base_offset=9), 4, 0)
    assert [header.base_offset for header in headers] == [9]
