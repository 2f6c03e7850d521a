"""Tests of iterating over batches in a file: `broker.storage.segments.file_batches`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.storage.files.disk import Disk, DiskFile
from broker.storage.segments.file_batches import batches_in, extents_in
from protocol.corrupt_records import CorruptRecords
from tests.broker.storage.logs import batch


def file_of(path: Path, *parts: bytes | memoryview) -> tuple[DiskFile, int]:
    """A file with these bytes, and its size."""
    file = Disk().file(path / "0.log")
    content = b"".join(parts)
    file.write(content, 0)
    return file, len(content)


def three(path: Path, *more: bytes) -> tuple[DiskFile, int]:
    """Batches of one, two and three records; the second is longer than one read."""
    sizes = (10, 1 << 20, 10)
    return file_of(
        path,
        *(
            batch(count, size=size, base_offset=count * 10)
            for count, size in zip((1, 2, 3), sizes, strict=True)
        ),
        *more,
    )


def test_both_iterators_find_every_batch(tmp_path: Path) -> None:
    """They agree on positions and sizes, and the offsets are those of the headers."""
    file, end = three(tmp_path)
    extents = list(extents_in(file, 0, end))
    found = list(batches_in(file, 0, end))
    assert [(base, last) for _, _, base, last in extents] == [(10, 10), (20, 21), (30, 32)]
    assert [(at, size) for at, size, _, _ in extents] == [(at, h.size) for at, h, _ in found]
    assert all(len(data) == header.size for _, header, data in found)
    assert [at for at, *_ in batches_in(file, extents[2][0], end)] == [extents[2][0]]


@pytest.mark.parametrize("torn", [1, 26, 27, 60, 61, 77])
def test_an_incomplete_batch_at_the_end_is_not_yielded(tmp_path: Path, torn: int) -> None:
    """`batches_in` yields complete batches only."""
    file, end = three(tmp_path, bytes(batch(1))[:torn])
    assert len(list(batches_in(file, 0, end))) == 3


def test_a_batch_shorter_than_its_header_ends_the_iteration(tmp_path: Path) -> None:
    """`batches_in` stops, because recovery uses it to find the end; `extents_in` raises."""
    file, end = three(tmp_path, bytes(200))
    assert len(list(batches_in(file, 0, end))) == 3
    with pytest.raises(CorruptRecords, match=r"0.log: there is no batch at position \d+"):
        list(extents_in(file, 0, end))


def test_a_file_shorter_than_expected_ends_the_iteration(tmp_path: Path) -> None:
    """The file may have been truncated meanwhile."""
    file, end = three(tmp_path)
    assert len(list(batches_in(file, 0, end + 1000))) == 3
    with pytest.raises(CorruptRecords):
        list(extents_in(file, 0, end + 1000))
