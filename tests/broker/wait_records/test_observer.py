"""Sizes of what was produced and delivered."""

from __future__ import annotations

from pathlib import Path

from broker.storage.disk import Disk
from broker.storage.file_slice import FileSlice
from broker.wait_records.observer import size_of
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


def test_batches_that_are_not_read_yet_are_counted_too(tmp_path: Path) -> None:
    """Only their headers are read; those of a file that is gone are not counted."""
    file = Disk().file(tmp_path / "0.log")
    file.write(batch(b"1", b"2") + batch(b"3") + batch(b"4")[:-1], 0)
    size = file.size()
    there = FileSlice(file, 0, size)

    assert size_of(there) == (3, size)
    file.remove()
    assert size_of(there) == (0, size)
