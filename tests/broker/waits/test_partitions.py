"""Sizes of what was produced and delivered."""

from __future__ import annotations

from broker.waits.partitions import size_of
from tests.batches import batch


def test_whole_batches_are_counted() -> None:
    """Records of each, and all bytes."""
    data = batch(b"a", b"b") + batch(b"c")

    assert size_of(data) == (3, len(data))


def test_a_torn_batch_at_the_end_has_bytes_but_no_records() -> None:
    """A fetch may end in the middle of one."""
    whole, torn = batch(b"a"), batch(b"b", b"c")[:-1]

    assert size_of(whole + torn) == (1, len(whole) + len(torn))


def test_nothing_is_nothing() -> None:
    """An empty answer."""
    assert size_of(b"") == (0, 0)
