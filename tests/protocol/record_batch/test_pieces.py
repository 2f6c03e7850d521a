"""Tests of splitting fetched records: `protocol.record_batch.pieces`."""

from __future__ import annotations

from protocol.record_batch.header import LOG_OVERHEAD
from protocol.record_batch.pieces import BATCHES_MAX, pieces
from tests.broker.storage.logs import batch

ONE = bytes(batch(1))


def test_few_batches_are_one_piece() -> None:
    """So are no bytes at all, because the follower also gets the high watermark."""
    few = memoryview(ONE * 10)
    assert list(pieces(few)) == [few]
    assert [bytes(each) for each in pieces(memoryview(b""))] == [b""]


def test_a_piece_has_complete_batches() -> None:
    """The joined pieces are the fetched records."""
    found = [bytes(each) for each in pieces(memoryview(ONE * (2 * BATCHES_MAX + 5)))]
    assert found == [ONE * BATCHES_MAX, ONE * BATCHES_MAX, ONE * 5]


def test_an_incomplete_batch_is_in_the_last_piece() -> None:
    """The append ignores it."""
    found = [bytes(each) for each in pieces(memoryview(ONE * BATCHES_MAX + ONE[:-1]))]
    assert found == [ONE * BATCHES_MAX + ONE[:-1]]


def test_an_invalid_batch_is_in_the_last_piece() -> None:
    """The append refuses this piece."""
    broken = bytes(LOG_OVERHEAD) + ONE[LOG_OVERHEAD:]
    records = ONE * (BATCHES_MAX + 1) + broken + ONE * (2 * BATCHES_MAX)
    found = [len(each) for each in pieces(memoryview(records))]
    assert found == [BATCHES_MAX * len(ONE), len(records) - BATCHES_MAX * len(ONE)]
