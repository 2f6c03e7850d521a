"""Tests of batches that are encoded again: `broker.storage.validation.rebuilt_batch`."""

from __future__ import annotations

from typing import Any

import pytest

from broker.storage.log_config import LogConfig
from broker.storage.validation.append import AppendOrigin, AppendRefused
from broker.storage.validation.log_validator import assign, validate
from protocol.compression import Codec, compress
from protocol.errors import ErrorCode
from protocol.record_batch.batch import plain_block, records
from protocol.record_batch.header import HEADER_BYTES, TIMESTAMP_TYPE_BIT, read_header
from protocol.record_batch.patch import assemble, seal
from protocol.record_batch.record import Record
from tests.batches import resealed
from tests.broker.storage.logs import NOW_MS, ORDERS, batch, batch_of

COMPRESSED = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]


def stored(data: memoryview, **config: Any) -> memoryview:
    """The bytes that the leader writes."""
    origin, log_config = AppendOrigin.CLIENT, LogConfig(**config)
    valid = validate(read_header(data), data, origin, ORDERS, log_config, NOW_MS)
    return assign(valid, 100, 3, NOW_MS)[0]


def error_of(data: memoryview, **config: Any) -> ErrorCode:
    """The error with which the leader refuses the batch."""
    with pytest.raises(AppendRefused) as refused:
        stored(data, **config)
    return refused.value.error


def skipping(codec: Codec) -> memoryview:
    """Three records with the offset deltas 0, 2, 4 in a range of three offsets."""
    values = [Record(None, b"v", timestamp=NOW_MS, offset=i * 2) for i in range(3)]
    return resealed(batch_of(values, codec=codec), last_offset_delta=2)


@pytest.mark.parametrize("codec", list(Codec))
def test_another_codec_renumbers_offsets_that_skip(codec: Codec) -> None:
    """The records get consecutive offsets."""
    other = "gzip" if codec is not Codec.GZIP else "lz4"
    kept = stored(skipping(codec), compression_type=other)
    assert [record.offset for record in records(kept)] == [100, 101, 102]


@pytest.mark.parametrize("codec", COMPRESSED)
@pytest.mark.parametrize("wanted", ["producer", ""])
def test_offsets_that_skip_with_the_same_codec_are_an_unknown_server_error(
    codec: Codec, wanted: str
) -> None:
    """As in Kafka, which has skipped keys and values and then cannot encode the records again."""
    compression_type = wanted or codec.name.lower()
    error = error_of(skipping(codec), compression_type=compression_type)
    assert error is ErrorCode.UNKNOWN_SERVER_ERROR


@pytest.mark.parametrize("wanted", ["producer", "uncompressed"])
def test_offsets_that_skip_without_a_codec_are_not_checked(wanted: str) -> None:
    """As in Kafka, an uncompressed batch that is not encoded again keeps its offset deltas."""
    kept = stored(skipping(Codec.NONE), compression_type=wanted)
    assert [record.offset for record in records(kept)] == [100, 102, 104]


@pytest.mark.parametrize("timestamps", [(-5,), (5, -2)])
@pytest.mark.parametrize("type_", ["CreateTime", "LogAppendTime"])
def test_another_codec_refuses_negative_timestamps(timestamps: tuple[int], type_: str) -> None:
    """An unknown server error as in Kafka, also where the topic replaces the timestamps."""
    data = batch_of([Record(None, b"v", timestamp=each) for each in timestamps])
    error = error_of(data, compression_type="gzip", message_timestamp_type=type_)
    assert error is ErrorCode.UNKNOWN_SERVER_ERROR


def test_another_codec_keeps_records_without_timestamp() -> None:
    """The timestamp -1 is none."""
    kept = stored(batch(2, timestamp=-1), compression_type="gzip")
    assert [record.timestamp for record in records(kept)] == [-1, -1]


def test_the_same_codec_keeps_negative_timestamps() -> None:
    """Only the encoding of records checks them."""
    assert [record.timestamp for record in records(stored(batch(1, timestamp=-5)))] == [-5]


@pytest.mark.parametrize(
    "producer",
    [
        {"producer_id": 1, "producer_epoch": -1, "base_sequence": 0},
        {"producer_id": -5, "producer_epoch": -1, "base_sequence": 0},
        {"producer_id": -5, "producer_epoch": 0, "base_sequence": -1},
        {"producer_id": -1, "attributes": 0x10},
    ],
)
def test_another_codec_refuses_an_incomplete_producer(producer: dict[str, Any]) -> None:
    """An unknown server error as in Kafka; without another codec these batches are accepted."""
    assert stored(batch(**producer))
    error = error_of(batch(**producer), compression_type="gzip")
    assert error is ErrorCode.UNKNOWN_SERVER_ERROR


def test_another_codec_accepts_other_negative_epochs() -> None:
    """Only -1 means that there is no epoch."""
    data = batch(producer_id=1, producer_epoch=-2, base_sequence=0)
    assert read_header(stored(data, compression_type="gzip")).producer_epoch == -2


@pytest.mark.parametrize("wanted", ["uncompressed", "gzip"])
def test_another_codec_makes_the_first_timestamp_the_base(wanted: str) -> None:
    """The timestamps stay the same, relative to that of the first record."""
    times = [NOW_MS + 7, NOW_MS + 5, NOW_MS + 900]
    sent = batch_of([Record(b"k", b"v", timestamp=NOW_MS), *_records_at(times)], codec=Codec.LZ4)
    first = read_header(sent)
    plain = plain_block(first, sent)
    body = compress(Codec.LZ4, plain[plain[0] // 2 + 1 :])
    changed = seal(assemble(first._replace(records_count=3, last_offset_delta=2), body))
    kept = stored(memoryview(bytearray(changed)), compression_type=wanted)
    header = read_header(kept)
    assert (header.base_timestamp, header.max_timestamp) == (NOW_MS + 7, NOW_MS + 900)
    assert [record.timestamp for record in records(kept)] == times
    assert plain_block(header, kept) == plain_block(
        first, batch_of(_records_at(times), codec=Codec.LZ4)
    )


def test_another_codec_writes_the_time_of_a_marked_batch_into_its_records() -> None:
    """Its maximum timestamp is that of all records, and then the base timestamp."""
    sent = batch_of(_records_at([NOW_MS, NOW_MS + 5]), attributes=TIMESTAMP_TYPE_BIT)
    kept = stored(sent, compression_type="gzip")
    header = read_header(kept)
    assert (header.base_timestamp, header.is_log_append_time) == (NOW_MS + 5, False)
    assert [record.timestamp for record in records(kept)] == [NOW_MS + 5] * 2


def test_another_codec_clears_the_attributes_of_records() -> None:
    """They are not used."""
    sent = batch(1)
    sent[HEADER_BYTES + 1] = 3
    kept = stored(resealed(sent), compression_type="gzip")
    assert plain_block(read_header(kept), kept)[1] == 0


def _records_at(timestamps: list[int]) -> list[Record]:
    return [Record(b"k", b"v", timestamp=each) for each in timestamps]
