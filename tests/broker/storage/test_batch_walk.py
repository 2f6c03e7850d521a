"""Walking over batches: `broker.storage.batch_walk`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.storage.batch_walk import hop, indexed_timestamp, walk
from broker.storage.disk import Disk, DiskFile
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import HEADER_BYTES, read_header
from tests.broker.storage.logs import NOW_MS, batch


def file_of(path: Path, *parts: bytes | memoryview) -> tuple[DiskFile, int]:
    """A file with these bytes, and how many they are."""
    file = Disk().file(path / "0.log")
    content = b"".join(parts)
    file.write(content, 0)
    return file, len(content)


def three(path: Path, *more: bytes) -> tuple[DiskFile, int]:
    """Batches of one, two and three records; the second is longer than what is read at once."""
    sizes = (10, 1 << 20, 10)
    return file_of(
        path,
        *(
            batch(count, size=size, base_offset=count * 10)
            for count, size in zip((1, 2, 3), sizes, strict=True)
        ),
        *more,
    )


def test_both_ways_find_every_batch(tmp_path: Path) -> None:
    """Where it is, how large, and its offsets."""
    file, end = three(tmp_path)
    hopped = list(hop(file, 0, end))
    walked = list(walk(file, 0, end))
    assert [(base, last) for _, _, base, last in hopped] == [(10, 10), (20, 21), (30, 32)]
    assert [(at, size) for at, size, _, _ in hopped] == [(at, h.size) for at, h, _ in walked]
    assert all(len(data) == header.size for _, header, data in walked)
    assert [at for at, *_ in walk(file, hopped[2][0], end)] == [hopped[2][0]]


@pytest.mark.parametrize("torn", [1, 26, 27, 60, 61, 77])
def test_a_torn_end_is_not_walked_over(tmp_path: Path, torn: int) -> None:
    """Only whole batches are yielded."""
    file, end = three(tmp_path, bytes(batch(1))[:torn])
    assert len(list(walk(file, 0, end))) == 3


def test_a_batch_shorter_than_its_header_ends_both(tmp_path: Path) -> None:
    """The one quietly, since it looks for the end; the other may rely on whole batches."""
    file, end = three(tmp_path, bytes(200))
    assert len(list(walk(file, 0, end))) == 3
    with pytest.raises(CorruptRecords, match=r"0.log: there is no batch at position \d+"):
        list(hop(file, 0, end))


def test_a_file_shorter_than_it_should_be_is_no_endless_way(tmp_path: Path) -> None:
    """Somebody has cut it meanwhile."""
    file, end = three(tmp_path)
    assert len(list(walk(file, 0, end + 1000))) == 3
    with pytest.raises(CorruptRecords):
        list(hop(file, 0, end + 1000))


def test_batches_that_compaction_emptied_have_no_timestamp() -> None:
    """Their headers tell of records that are gone."""
    header = read_header(batch(2))
    assert header.size > HEADER_BYTES
    assert indexed_timestamp(header) == NOW_MS
    assert indexed_timestamp(header._replace(records_count=0)) == -1
