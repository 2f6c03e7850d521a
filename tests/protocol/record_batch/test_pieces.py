"""Fetched records in pieces: `protocol.record_batch.pieces`."""

from __future__ import annotations

from protocol.record_batch.header import LOG_OVERHEAD
from protocol.record_batch.pieces import BATCHES_MAX, pieces
from tests.broker.storage.logs import batch

ONE = bytes(batch(1))


def test_few_batches_are_one_piece() -> None:
    """So is nothing at all, which still brings a high watermark."""
    few = memoryview(ONE * 10)
    assert list(pieces(few)) == [few]
    assert [bytes(each) for each in pieces(memoryview(b""))] == [b""]


def test_a_piece_is_whole_batches() -> None:
    """All together are what was fetched."""
    found = [bytes(each) for each in pieces(memoryview(ONE * (2 * BATCHES_MAX + 5)))]
    assert found == [ONE * BATCHES_MAX, ONE * BATCHES_MAX, ONE * 5]


def test_an_incomplete_batch_is_left_at_the_end() -> None:
    """The append ignores it, as without pieces."""
    found = [bytes(each) for each in pieces(memoryview(ONE * BATCHES_MAX + ONE[:-1]))]
    assert found == [ONE * BATCHES_MAX + ONE[:-1]]


def test_what_follows_an_invalid_batch_stays_with_it() -> None:
    """The append refuses all of the piece."""
    broken = bytes(LOG_OVERHEAD) + ONE[LOG_OVERHEAD:]
    records = ONE * (BATCHES_MAX + 1) + broken + ONE * (2 * BATCHES_MAX)
    found = [len(each) for each in pieces(memoryview(records))]
    assert found == [BATCHES_MAX * len(ONE), len(records) - BATCHES_MAX * len(ONE)]
