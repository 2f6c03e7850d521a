"""The budget of a validation on the event loop: `broker.storage.validation.loop_budget`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from broker.storage.validation.loop_budget import (
    BYTES_MAX,
    DECOMPRESSED_BYTES_MAX,
    HEADERS_MAX,
    RECORDS_MAX,
    Budget,
    ExceedsBudget,
)
from protocol.compression import Codec, compress
from protocol.record_batch.batch import build_batch
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.record import Record

CODECS = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]


def spend(budget: Budget, batch: list[Record], codec: Codec = Codec.NONE) -> None:
    """Check these records with the budget."""
    block = memoryview(build_batch(batch)[HEADER_BYTES:])
    packed = memoryview(compress(codec, block)) if codec else block
    summary = budget.summarise(codec, packed, len(batch))
    assert summary.offsets_consecutive


@pytest.mark.parametrize("codec", [Codec.NONE, *CODECS])
def test_an_ordinary_batch_is_within_the_budget(codec: Codec) -> None:
    """It has a few hundred records."""
    spend(Budget(1), [Record(b"key", b"v" * 200)] * 500, codec)


@pytest.mark.parametrize(
    "records",
    [
        lambda: [Record(None, bytes(BYTES_MAX))],
        lambda: [Record(None, b"")] * (RECORDS_MAX + 1),
        lambda: [Record(None, b"", [("", b"")] * (HEADERS_MAX + 1))],
    ],
    ids=["bytes", "records", "headers"],
)
def test_a_long_batch_exceeds_the_budget(records: Callable[[], list[Record]]) -> None:
    """By its bytes, its records or their headers."""
    with pytest.raises(ExceedsBudget):
        spend(Budget(1), records())


@pytest.mark.parametrize("codec", CODECS)
def test_a_decompression_bomb_exceeds_the_budget(codec: Codec) -> None:
    """A few bytes decompress to more than the budget has."""
    with pytest.raises(ExceedsBudget):
        spend(Budget(1), [Record(None, bytes(DECOMPRESSED_BYTES_MAX))], codec)


@pytest.mark.parametrize(
    ("batch", "codec"),
    [
        ([Record(None, bytes(BYTES_MAX // 2 - 100))], Codec.NONE),
        ([Record(None, b"")] * (RECORDS_MAX // 2), Codec.NONE),
        ([Record(None, bytes(DECOMPRESSED_BYTES_MAX // 2 - 100))], Codec.GZIP),
    ],
    ids=["bytes", "records", "decompressed"],
)
def test_all_batches_of_a_request_share_a_budget(batch: list[Record], codec: Codec) -> None:
    """Two are within it, the third is not."""
    budget = Budget(3)
    spend(budget, batch, codec)
    spend(budget, batch, codec)
    with pytest.raises(ExceedsBudget):
        spend(budget, batch, codec)


def test_each_batch_has_its_share_of_the_headers() -> None:
    """Regardless of those of the others."""
    budget = Budget(4)
    spend(budget, [Record(None, b"", [("", b"")] * (HEADERS_MAX // 4))])
    with pytest.raises(ExceedsBudget):
        spend(budget, [Record(None, b"", [("", b"")] * (HEADERS_MAX // 4 + 1))])
