"""Tests of the checks before an append: `broker.storage.validation.append`."""

from __future__ import annotations

import pytest

from broker.storage.validation.append import (
    AppendRefused,
    first_batch_problem,
    only_batch,
    received,
)
from protocol.compression import Codec
from protocol.errors import ErrorCode
from tests.batches import with_header
from tests.broker.storage.logs import batch


def test_one_batch_has_no_problem() -> None:
    """A produce request has one batch for a partition."""
    assert first_batch_problem(received(batch(3)), 9) is ErrorCode.NONE


def test_an_incomplete_batch_after_the_first_is_ignored() -> None:
    """Kafka trims it; only a second complete batch is an error."""
    data = memoryview(bytes(batch(3)) + bytes(batch(2))[:-1])
    assert first_batch_problem(received(data), 9) is ErrorCode.NONE
    assert len(only_batch(received(data), 9)[1]) == len(batch(3))


@pytest.mark.parametrize(
    "data",
    [b"", bytes(batch(1))[:11], bytes(batch(1))[:16], bytes(batch(1))[:-1], bytes(batch(1)) * 2],
)
def test_no_batch_or_two_are_invalid(data: bytes) -> None:
    """There must be exactly one complete batch."""
    assert first_batch_problem(received(memoryview(data)), 9) is ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("magic", [0, 1])
def test_older_formats_are_invalid(magic: int) -> None:
    """Kafka 4 accepts only v2 batches."""
    data = with_header(batch(1), magic=magic)
    assert first_batch_problem(received(data), 9) is ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("magic", [3, -128])
def test_an_unknown_magic_is_corrupt(magic: int) -> None:
    """The magic of no format is CORRUPT_MESSAGE."""
    data = with_header(batch(1), magic=magic)
    assert first_batch_problem(received(data), 9) is ErrorCode.CORRUPT_MESSAGE


def test_a_length_below_that_of_every_format_is_corrupt() -> None:
    """The smallest length is 14 bytes."""
    data = with_header(batch(1), batch_length=13)
    assert first_batch_problem(received(data), 9) is ErrorCode.CORRUPT_MESSAGE


def test_zstd_needs_produce_v7() -> None:
    """Older consumers cannot decompress it (KIP-110)."""
    data = batch(1, codec=Codec.ZSTD)
    assert first_batch_problem(received(data), 6) is ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert first_batch_problem(received(data), 7) is ErrorCode.NONE


def test_a_batch_shorter_than_its_header_is_corrupt() -> None:
    """Its header cannot be decoded."""
    data = with_header(batch(1), batch_length=28)[:40]
    with pytest.raises(AppendRefused) as refused:
        only_batch(received(data), 9)
    assert refused.value.error is ErrorCode.CORRUPT_MESSAGE


def test_a_writable_batch_is_not_copied() -> None:
    """Offsets are written in place; read-only bytes are copied."""
    data = batch(1)
    only_batch(received(data), 9)[1][0] = 7
    assert data[0] == 7
    assert not only_batch(received(data.toreadonly()), 9)[1].readonly


def test_a_copy_has_the_header_and_its_own_bytes() -> None:
    """The memory of a request is used again before a worker thread has validated its batches."""
    data = batch(2)
    copy = received(data).copied()
    data[-1] ^= 1

    assert copy.header == received(data).header
    assert copy.records[-1] != data[-1]


def test_bytes_shorter_than_a_header_have_none() -> None:
    """They are refused later, with the error of their partition."""
    assert received(batch(1)[:60]).header is None
