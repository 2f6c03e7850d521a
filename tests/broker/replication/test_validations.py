"""Which batches are validated in a worker thread: `broker.replication.validations`."""

from __future__ import annotations

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.validations import (
    SHORT_BYTES_MAX,
    SHORT_RECORDS_MAX,
    Unvalidated,
    are_short,
    validated_in_thread,
    validated_on_loop,
)
from broker.storage.log_config import LogConfig
from broker.storage.validation.append import AppendRefused, ReceivedBatch, received
from protocol.compression import Codec
from protocol.errors import ErrorCode
from tests.batches import TIMESTAMP_MS, batch

KEY, OTHER = TopicPartition("t", 0), TopicPartition("t", 1)
VERSION = 13


def view(records: bytes) -> ReceivedBatch:
    return received(memoryview(bytearray(records)))


def test_short_batches_are_validated_at_the_append() -> None:
    """Their headers show that they are short."""
    assert are_short([view(batch(b"a")), view(batch(*[b"b"] * 160))])
    assert are_short([view(b"no batch")])


def test_compressed_batches_are_not_short() -> None:
    """The size of their records is unknown."""
    assert not are_short([view(batch(b"a", codec=Codec.LZ4))])


@pytest.mark.parametrize(
    "records",
    [batch(bytes(SHORT_BYTES_MAX // 2)), batch(*[b""] * (SHORT_RECORDS_MAX // 2 + 1))],
    ids=["bytes", "records"],
)
def test_a_request_is_short_as_a_whole(records: bytes) -> None:
    """One such batch is short, two are not."""
    assert are_short([view(records)])
    assert not are_short([view(records)] * 2)


def test_a_batch_within_the_budget_is_validated_on_the_loop() -> None:
    """A thread would only delay it."""
    records = view(batch(*[b"value"] * 100, codec=Codec.ZSTD))
    outcomes = validated_on_loop([Unvalidated(KEY, records, LogConfig())], VERSION, TIMESTAMP_MS)

    assert outcomes is not None
    assert outcomes[KEY].result().header.records_count == 100


def test_a_decompression_bomb_is_validated_in_the_thread() -> None:
    """It is decompressed in pieces there."""
    bomb = view(batch(*[bytes(500_000)] * 4, codec=Codec.GZIP))
    batches = [
        Unvalidated(OTHER, view(batch(b"a")), LogConfig()),
        Unvalidated(KEY, bomb, LogConfig()),
    ]

    assert validated_on_loop(batches, VERSION, TIMESTAMP_MS) is None
    outcomes = validated_in_thread(batches, VERSION, TIMESTAMP_MS)
    assert [outcomes[key].result().header.records_count for key in (OTHER, KEY)] == [1, 4]


def test_an_invalid_batch_is_an_outcome() -> None:
    """The other batches of the request are validated."""
    wrong = view(batch(b"a"))
    wrong.records[-1] ^= 1
    batches = [
        Unvalidated(KEY, wrong, LogConfig()),
        Unvalidated(OTHER, view(batch(b"b")), LogConfig()),
    ]

    for outcomes in (
        validated_on_loop(batches, VERSION, TIMESTAMP_MS),
        validated_in_thread(batches, VERSION, TIMESTAMP_MS),
    ):
        assert outcomes is not None
        with pytest.raises(AppendRefused) as refused:
            outcomes[KEY].result()
        assert refused.value.error is ErrorCode.CORRUPT_MESSAGE
        assert outcomes[OTHER].result().sealed
