"""What a leader checks and rewrites: `broker.storage.log_validator`."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from broker.storage.append import AppendOrigin, AppendRefused
from broker.storage.log_config import LogConfig
from broker.storage.log_validator import (
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
    seal,
)
from protocol.record_batch.record import Record
from tests.broker.storage.logs import NOW_MS, batch, batch_of

COMPRESSED = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]
RECORDS_COUNT_AT = 57
LAST_OFFSET_DELTA_AT = 23


def validated(
    data: memoryview, *, origin: AppendOrigin = AppendOrigin.CLIENT, **config: Any
) -> tuple[memoryview, int]:
    valid = validate(read_header(data), data, origin, LogConfig(**config), NOW_MS)
    return assign(valid, 100, 3, NOW_MS)


def refusal(data: memoryview, **config: Any) -> AppendRefused:
    with pytest.raises(AppendRefused) as refused:
        validated(data, **config)
    return refused.value


def resealed(data: memoryview, at: int, field: str, value: int) -> memoryview:
    """*data* with another value in a header field, and the checksum that goes with it."""
    struct.pack_into(f">{field}", data, at, value)
    return memoryview(bytearray(seal(bytearray(data))))


@pytest.mark.parametrize("codec", list(Codec))
def test_an_orderly_batch_keeps_its_bytes(codec: Codec) -> None:
    """Only base offset and leader epoch are written, whatever the codec."""
    sent = batch(5, codec=codec)
    before = bytes(sent)
    stored, max_timestamp = validated(sent)
    assert bytes(stored[8:12]) == before[8:12]
    assert bytes(stored[16:]) == before[16:]
    assert max_timestamp == NOW_MS
    assert [record.offset for record in records(stored)] == [100, 101, 102, 103, 104]
    assert read_header(stored).partition_leader_epoch == 3


@pytest.mark.parametrize("codec", list(Codec))
def test_log_append_time_is_written_and_sealed(codec: Codec) -> None:
    """The broker's time stands in the header; the checksum is made anew."""
    data = batch(3, timestamp=12, codec=codec)
    stored, max_timestamp = validated(data, message_timestamp_type="LogAppendTime")
    header = read_header(stored)
    assert (header.max_timestamp, max_timestamp) == (NOW_MS, NOW_MS)
    assert header.is_log_append_time
    assert check_crc(stored, 0, header)
    assert {record.timestamp for record in records(stored)} == {NOW_MS}


def test_a_wrong_largest_timestamp_is_put_right() -> None:
    """The header's word is not believed; the checksum follows."""
    stored, max_timestamp = validated(resealed(batch(2), 35, "q", 5))
    assert max_timestamp == NOW_MS
    assert check_crc(stored, 0, read_header(stored))


@pytest.mark.parametrize("origin", COMPRESSED)
@pytest.mark.parametrize("wanted", ["uncompressed", "gzip", "snappy", "lz4", "zstd"])
def test_another_compression_type_is_honoured(origin: Codec, wanted: str) -> None:
    """The topic's codec wins; the records stay the same."""
    values = [Record(b"k%d" % i, b"v" * 100, [("h", b"x")], NOW_MS + i) for i in range(10)]
    stored, _ = validated(batch_of(values, codec=origin), compression_type=wanted)
    header = read_header(stored)
    expected = Codec.NONE if wanted == "uncompressed" else Codec[wanted.upper()]
    assert header.codec == expected
    assert header.size == len(stored)
    assert check_crc(stored, 0, header)
    kept = [record._replace(headers=list(record.headers)) for record in records(stored)]
    assert kept == [record._replace(offset=100 + i) for i, record in enumerate(values)]


def test_offsets_that_skip_in_a_compressed_batch_are_renumbered() -> None:
    """Kafka rebuilds such a batch."""
    values = [Record(None, b"v", timestamp=NOW_MS, offset=i * 2) for i in range(3)]
    data = resealed(batch_of(values, codec=Codec.GZIP), LAST_OFFSET_DELTA_AT, "i", 2)
    stored, _ = validated(data)
    assert [record.offset for record in records(stored)] == [100, 101, 102]


def test_recompression_may_make_a_batch_too_large() -> None:
    """The limit holds for what is stored."""
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
    """Told before the checksum is looked at."""
    data = batch(3)
    data[-1] ^= 1
    limit = len(data) - 1
    assert refusal(data, max_message_bytes=limit).error is ErrorCode.MESSAGE_TOO_LARGE


def test_a_base_offset_is_not_a_clients_business() -> None:
    """Told before the size."""
    refused = refusal(batch(3, base_offset=5), max_message_bytes=10)
    assert refused.error is ErrorCode.INVALID_RECORD


def test_an_unknown_codec_is_unexpected() -> None:
    """As in Kafka, whose answer is UNKNOWN_SERVER_ERROR."""
    assert refusal(resealed(batch(), 21, "h", 6)).error is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_block_that_does_not_unfold_is_unexpected() -> None:
    """As in Kafka, which lets its decompressor's exception through."""
    data = batch(3, codec=Codec.ZSTD)
    data[HEADER_BYTES : HEADER_BYTES + 4] = b"\x00" * 4
    refused = refusal(memoryview(bytearray(seal(bytearray(data)))))
    assert refused.error is ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (RECORDS_COUNT_AT, 2),
        (RECORDS_COUNT_AT, 0),
        (RECORDS_COUNT_AT, -1),
        (LAST_OFFSET_DELTA_AT, -1),
        (LAST_OFFSET_DELTA_AT, 7),
    ],
)
def test_count_and_offset_range_must_agree(at: int, value: int) -> None:
    """A client cannot claim offsets that it sends no records for."""
    assert refusal(resealed(batch(3), at, "i", value)).error is ErrorCode.INVALID_RECORD


def test_clients_write_no_control_batches() -> None:
    """Markers are the coordinators'."""
    assert refusal(batch(attributes=CONTROL_BIT)).error is ErrorCode.INVALID_RECORD


def test_a_producer_id_needs_a_sequence_number() -> None:
    """Half an idempotent producer is none."""
    assert refusal(batch(producer_id=4, producer_epoch=0)).error is ErrorCode.INVALID_RECORD


def test_malformed_records_are_invalid_without_indexes() -> None:
    """The walk ends at the first, so there is none to name."""
    data = batch(2)
    data[HEADER_BYTES] += 2
    refused = refusal(memoryview(bytearray(seal(bytearray(data)))))
    assert (refused.error, list(refused.record_errors)) == (ErrorCode.INVALID_RECORD, [])


@pytest.mark.parametrize("codec", list(Codec))
def test_a_compacted_topic_names_the_records_without_keys(codec: Codec) -> None:
    """Each by its index in the batch."""
    values = [Record(key, b"v", timestamp=NOW_MS) for key in (b"k", None, b"k", None)]
    refused = refusal(batch_of(values, codec=codec), cleanup_policy=("compact", "delete"))
    assert refused.error is ErrorCode.INVALID_RECORD
    assert [index for index, _ in refused.record_errors] == [1, 3]


def test_a_compacted_topic_takes_keys() -> None:
    """A null value is a deletion, not an error."""
    data = batch_of([Record(b"k", None, timestamp=NOW_MS)])
    assert validated(data, cleanup_policy=("compact",))[1] == NOW_MS


@pytest.mark.parametrize("timestamp", [NOW_MS - 1001, NOW_MS + 3_600_001, 0])
def test_timestamps_out_of_range_are_named(timestamp: int) -> None:
    """Before and after have a limit each."""
    values = [Record(None, b"v", timestamp=time) for time in (NOW_MS, timestamp)]
    refused = refusal(batch_of(values), message_timestamp_before_max_ms=1000)
    assert refused.error is ErrorCode.INVALID_TIMESTAMP
    assert [index for index, _ in refused.record_errors] == [1]


@pytest.mark.parametrize("timestamp", [NOW_MS - 1000, NOW_MS + 3_600_000, -1])
def test_timestamps_at_the_limits_are_taken(timestamp: int) -> None:
    """The limits belong to the range, and no timestamp is no wrong one."""
    values = [Record(None, b"v", timestamp=time) for time in (NOW_MS, timestamp)]
    assert validated(batch_of(values), message_timestamp_before_max_ms=1000)


def test_an_untimely_record_wins_over_one_without_a_key() -> None:
    """Both are named, the code is INVALID_TIMESTAMP."""
    values = [Record(None, b"v", timestamp=NOW_MS), Record(b"k", b"v", timestamp=NOW_MS * 2)]
    refused = refusal(batch_of(values), cleanup_policy=("compact",))
    assert refused.error is ErrorCode.INVALID_TIMESTAMP
    assert [index for index, _ in refused.record_errors] == [0, 1]


def test_log_append_time_takes_any_timestamp() -> None:
    """It is replaced anyway."""
    assert validated(batch(timestamp=1), message_timestamp_type="LogAppendTime")


def test_a_producer_does_not_mark_log_append_time() -> None:
    """That bit is the broker's, on a topic that uses it."""
    data = batch(attributes=TIMESTAMP_TYPE_BIT)
    refused = refusal(data, message_timestamp_type="LogAppendTime")
    assert refused.error is ErrorCode.INVALID_TIMESTAMP


def test_the_mark_is_taken_off_on_a_create_time_topic() -> None:
    """As in Kafka the largest timestamp stands for all records then, if it is in range."""
    stored, max_timestamp = validated(batch(attributes=TIMESTAMP_TYPE_BIT))
    header = read_header(stored)
    assert not header.is_log_append_time
    assert max_timestamp == NOW_MS
    assert check_crc(stored, 0, header)


def test_a_timestamp_beyond_all_time_is_out_of_range() -> None:
    """Deltas can run over: Java's numbers wrap, and so do ours."""
    data = resealed(batch(), 27, "q", 2**63 - 1)
    data[HEADER_BYTES + 2] = 2
    refused = refusal(memoryview(bytearray(seal(bytearray(data)))))
    assert refused.error is ErrorCode.INVALID_TIMESTAMP
    assert "-9223372036854775808" in str(refused.record_errors)


def test_replicated_batches_must_follow_the_log_end() -> None:
    """A follower writes nothing that would go back."""
    with pytest.raises(AppendRefused):
        check_replicated(batch(2, base_offset=3), 4, 0)


def test_replicated_batches_are_checked_for_damage() -> None:
    """The checksum is looked at on every replica."""
    data = batch(2, base_offset=4)
    data[-1] ^= 1
    with pytest.raises(AppendRefused) as refused:
        check_replicated(data, 4, 0)
    assert refused.value.error is ErrorCode.CORRUPT_MESSAGE


def test_replicated_batches_may_skip_offsets() -> None:
    """Compaction leaves gaps."""
    headers = check_replicated(batch(2, base_offset=9), 4, 0)
    assert [header.base_offset for header in headers] == [9]
