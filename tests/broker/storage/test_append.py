"""The look at a produce request's records before any log is asked: `broker.storage.append`."""

from __future__ import annotations

import pytest

from broker.storage.append import AppendRefused, batch_size_at, first_batch_problem, only_batch
from protocol.compression import Codec
from protocol.errors import ErrorCode
from tests.broker.storage.logs import batch

LENGTH_AT = 11
MAGIC_AT = 16


def test_one_batch_is_no_problem() -> None:
    """The usual case."""
    assert first_batch_problem(batch(3), 9) is ErrorCode.NONE


def test_a_torn_batch_behind_the_first_is_passed_over() -> None:
    """Kafka trims it; only a second whole batch is an error."""
    data = memoryview(bytes(batch(3)) + bytes(batch(2))[:-1])
    assert first_batch_problem(data, 9) is ErrorCode.NONE
    assert len(only_batch(data, 9)[1]) == len(batch(3))


@pytest.mark.parametrize(
    "data",
    [b"", bytes(batch(1))[:11], bytes(batch(1))[:16], bytes(batch(1))[:-1], bytes(batch(1)) * 2],
)
def test_no_batch_or_two_are_invalid(data: bytes) -> None:
    """There must be exactly one."""
    assert first_batch_problem(memoryview(data), 9) is ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("magic", [0, 1])
def test_older_formats_are_invalid(magic: int) -> None:
    """Kafka 4 takes v2 batches only."""
    data = batch(1)
    data[MAGIC_AT] = magic
    assert first_batch_problem(data, 9) is ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("magic", [3, 128])
def test_an_unknown_magic_is_corrupt(magic: int) -> None:
    """No format has it."""
    data = batch(1)
    data[MAGIC_AT] = magic
    assert first_batch_problem(data, 9) is ErrorCode.CORRUPT_MESSAGE


def test_a_length_below_every_format_is_corrupt() -> None:
    """Fourteen bytes are the least."""
    data = batch(1)
    data[LENGTH_AT - 3 : LENGTH_AT + 1] = (13).to_bytes(4, "big")
    assert first_batch_problem(data, 9) is ErrorCode.CORRUPT_MESSAGE


def test_zstd_needs_produce_v7() -> None:
    """Older consumers could not read it (KIP-110)."""
    data = batch(1, codec=Codec.ZSTD)
    assert first_batch_problem(data, 6) is ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert first_batch_problem(data, 7) is ErrorCode.NONE


def test_a_batch_shorter_than_its_header_is_corrupt() -> None:
    """Its checksum cannot be right."""
    data = bytearray(batch(1)[:40])
    data[8:12] = (28).to_bytes(4, "big")
    with pytest.raises(AppendRefused) as refused:
        only_batch(memoryview(data), 9)
    assert refused.value.error is ErrorCode.CORRUPT_MESSAGE


def test_a_writable_batch_is_not_copied() -> None:
    """Offsets are written where the batch lies; bytes nobody may write are copied."""
    data = batch(1)
    only_batch(data, 9)[1][0] = 7
    assert data[0] == 7
    assert not only_batch(data.toreadonly(), 9)[1].readonly


def test_sizes_at_positions() -> None:
    """A batch that is not all there has none."""
    data = memoryview(bytes(batch(1)) + bytes(batch(2)))
    second = len(batch(1))
    assert batch_size_at(data, second) == len(batch(2))
    assert batch_size_at(data, len(data)) is None
