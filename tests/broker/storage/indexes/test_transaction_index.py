"""Tests of ``.txnindex`` files: `broker.storage.indexes.transaction_index`."""

from __future__ import annotations

from pathlib import Path

from broker.storage.files.disk import Disk
from broker.storage.indexes.transaction_index import AbortedTxn, TransactionIndex

FIRST, SECOND = AbortedTxn(7, 10, 15, 12), AbortedTxn(8, 12, 20, 21)


def index_at(path: Path) -> TransactionIndex:
    return TransactionIndex(Disk().file(path / "0.txnindex"))


def test_the_file_has_kafkas_bytes(tmp_path: Path) -> None:
    """Version 0, then four int64, big-endian; 34 bytes per entry."""
    index = index_at(tmp_path)
    index.append(FIRST)
    expected = b"\0\0" + b"".join(number.to_bytes(8, "big") for number in (7, 10, 15, 12))
    assert index.file.path.read_bytes() == expected


def test_without_entries_there_is_no_file(tmp_path: Path) -> None:
    """Reading does not make one."""
    index = index_at(tmp_path)
    assert index.entries == []
    assert index.is_sane(0)
    index.truncate_to(5)
    assert not index.file.path.exists()


def test_entries_are_read_again(tmp_path: Path) -> None:
    """More can be added."""
    index = index_at(tmp_path)
    index.append(FIRST)
    index.unload()
    index.append(SECOND)
    index.unload()
    assert index.entries == [FIRST, SECOND]


def test_truncation_removes_transactions_that_are_open_again(tmp_path: Path) -> None:
    """Those whose markers are removed."""
    index = index_at(tmp_path)
    index.append(FIRST)
    index.append(SECOND)
    index.truncate_to(20)
    assert index_at(tmp_path).entries == [FIRST]
    index.replace([])
    assert not index.file.path.exists()


def test_only_a_possible_file_is_sane(tmp_path: Path) -> None:
    """Complete entries of version 0 with offsets of the segment."""
    index = index_at(tmp_path)
    index.append(FIRST)
    assert index.is_sane(15)
    assert not index.is_sane(16)
    index.file.write(b"\0\1", 0)
    assert not index.is_sane(0)
    index.file.truncate(33)
    assert not index.is_sane(0)
    index.unload()
    assert index.entries == []


def test_an_entry_of_a_later_marker_is_removed(tmp_path: Path) -> None:
    """It comes from a damaged file."""
    index = TransactionIndex(Disk().file(tmp_path / "0.txnindex"))
    for last_offset in (5, 900):
        index.append(AbortedTxn(1, 0, last_offset, 6))
    index.append(AbortedTxn(1, 6, 9, 10))
    assert [entry.last_offset for entry in index.entries] == [5, 9]
    index.unload()
    assert [entry.last_offset for entry in index.entries] == [5, 9]


def collected(index: TransactionIndex, start: int, end: int) -> tuple[list[AbortedTxn], bool]:
    found: list[AbortedTxn] = []
    return found, index.collect(start, end, found)


def test_transactions_with_records_in_a_range_are_collected(tmp_path: Path) -> None:
    """Those that end at its start or after, and begin before its end."""
    index = index_at(tmp_path)
    index.append(FIRST)
    index.append(SECOND)
    assert collected(index, 15, 30) == ([FIRST, SECOND], False)
    assert collected(index, 16, 30) == ([SECOND], False)
    assert collected(index, 0, 11) == ([FIRST], True)
    assert collected(index, 21, 30) == ([], False)


def test_the_collection_ends_when_all_later_transactions_are_after_the_range(
    tmp_path: Path,
) -> None:
    """The last stable offset of an entry is at least the end of the range."""
    index = index_at(tmp_path)
    index.append(FIRST)
    index.append(SECOND)
    assert collected(index, 0, 12) == ([FIRST], True)
    assert collected(index, 0, 21) == ([FIRST, SECOND], True)
