"""Tests of loading a log: `broker.storage.log.log_loader`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from broker.storage.files.checkpoints import read_epoch_checkpoint
from broker.storage.files.disk import Disk
from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log.offset_search import search_max_timestamp
from broker.storage.producers.producer_snapshot import Snapshots
from protocol.compression import Codec
from tests.broker.storage.logs import (
    NOW_MS,
    batch,
    died,
    marker,
    open_log,
    read_all,
    reopened,
    searched,
    transactional,
    written,
)

SMALL = 250  # bytes of a segment


class ReadingDisk(Disk):
    """Counts the bytes that are requested."""

    bytes_read = 0

    def pread(self, fd: int, size: int, position: int) -> bytes:
        self.bytes_read += size
        return os.pread(fd, size, position)


def test_nothing_is_lost_without_a_clean_shutdown(tmp_path: Path) -> None:
    """Batches, leader epochs, producers and indexes are loaded."""
    path = died(written(tmp_path))
    (tmp_path / "orders-0" / "leader-epoch-checkpoint").unlink()
    log = reopened(path)
    assert [record.offset for record in read_all(log)] == list(range(20))
    assert log.end_offset_for_epoch(0) == (0, 10)
    last = batch(2, producer_id=1, producer_epoch=0, base_sequence=18, codec=Codec.ZSTD)
    assert log.append_as_leader(last, 1).duplicate
    assert list((tmp_path / "orders-0").glob("*.timeindex"))


def test_batches_below_the_recovery_point_are_not_checked(tmp_path: Path) -> None:
    """They have been forced to the disk."""
    log = written(tmp_path)
    log.close()
    first = min((tmp_path / "orders-0").glob("*.log"))
    content = bytearray(first.read_bytes())
    content[-1] ^= 1
    first.write_bytes(content)
    assert reopened(tmp_path, recovery_point=20).log_end_offset == 20
    assert reopened(tmp_path, recovery_point=0).log_end_offset < 20


@pytest.mark.parametrize("suffix", ["index", "timeindex"])
@pytest.mark.parametrize("damage", ["missing", "torn", "zeros"])
def test_an_invalid_index_is_rebuilt(tmp_path: Path, suffix: str, damage: str) -> None:
    """Also after a clean shutdown."""
    written(tmp_path).close()
    path = min((tmp_path / "orders-0").glob(f"*.{suffix}"))
    good = path.read_bytes()
    assert good
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(good[:-1] if damage == "torn" else good + bytes(len(good)))
    log = reopened(tmp_path, clean=True)
    assert len(read_all(log)) == 20
    log.close()
    assert path.read_bytes() == good


def test_a_clean_start_reads_few_batches(tmp_path: Path) -> None:
    """Those at the end, as in Kafka, even if the time index has few entries."""
    log = open_log(tmp_path)
    for _ in range(50):
        log.append_as_leader(batch(1, size=1000), 0)
    log.close()
    disk = ReadingDisk()
    again = open_log(tmp_path, clean=True, disk=disk)
    assert again.log_end_offset == 50
    assert disk.bytes_read < 10_000
    assert searched(search_max_timestamp(again)) == (0, NOW_MS, 0)
    assert disk.bytes_read < 60_000


def test_an_invalid_snapshot_is_removed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The previous one and the batches give the same state."""
    written(tmp_path).close()
    last = max((tmp_path / "orders-0").glob("*.snapshot"))
    last.write_bytes(last.read_bytes()[:-1])
    log = reopened(tmp_path, clean=True)
    assert str(last) in caplog.text
    again = batch(2, producer_id=1, producer_epoch=0, base_sequence=18, codec=Codec.ZSTD)
    assert log.append_as_leader(again, 1).duplicate


def test_producers_at_the_log_start_are_forgotten(tmp_path: Path) -> None:
    """All their batches were deleted; their snapshot is removed (Kafka's ``truncateAndReload``)."""
    log = reopened(tmp_path)
    for sequence in range(2):
        log.append_as_leader(batch(1, producer_id=1, producer_epoch=0, base_sequence=sequence), 0)
    log.close()

    log = reopened(tmp_path, clean=True, log_start_offset=2)

    assert Snapshots(tmp_path / "orders-0", Disk()).offsets == []
    again = batch(1, producer_id=1, producer_epoch=0, base_sequence=1)
    assert not log.append_as_leader(again, 0).duplicate


def test_snapshots_that_truncation_does_not_need_are_removed(tmp_path: Path) -> None:
    """The latest one and those at base offsets are kept."""
    for _ in range(3):
        log = reopened(tmp_path)
        for _ in range(2):
            log.append_as_leader(batch(1), 0)
        log.close()
    log = reopened(tmp_path, clean=True)
    assert log.segments.base_offsets == [0]
    assert Snapshots(tmp_path / "orders-0", Disk()).offsets == [6]


def test_unfinished_files_are_removed(tmp_path: Path) -> None:
    """Those of a process that ended while it replaced or deleted files."""
    written(tmp_path).close()
    folder = tmp_path / "orders-0"
    strays = ["00000000000000000000.log.deleted", "leader-epoch-checkpoint.tmp", "5.index"]
    for name in strays:
        (folder / name).write_bytes(b"x")
    reopened(tmp_path, clean=True)
    assert not any((folder / name).exists() for name in strays)


def test_epochs_after_the_end_are_removed(tmp_path: Path) -> None:
    """They are those of the removed batches."""
    path = died(written(tmp_path))
    for log_file in sorted((path / "orders-0").glob("*.log"))[1:]:
        log_file.unlink()
    with (path / "orders-0" / f"{0:020d}.log").open("r+b") as file:
        file.truncate(200)
    log = reopened(path)
    assert log.log_end_offset < 10
    assert read_epoch_checkpoint(path / "orders-0" / "leader-epoch-checkpoint") == [(0, 0)]


def test_a_log_that_ends_before_its_start_is_emptied(tmp_path: Path) -> None:
    """No offset may be assigned twice, although the disk lost the records after deleted ones."""
    path = died(written(tmp_path))
    log = reopened(path, log_start_offset=50)
    assert (log.log_start_offset, log.log_end_offset) == (50, 50)
    assert log.append_as_leader(batch(1), 3).first_offset == 50


def test_a_new_directory_is_an_empty_log(tmp_path: Path) -> None:
    """The first append makes the file of the first segment."""
    log = open_log(tmp_path)
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (0, 0, 0)
    assert not list(log.directory.iterdir())
    log.append_as_leader(batch(1), 0)
    assert (log.directory / f"{0:020d}.log").exists()


def test_an_empty_log_has_its_files_after_it_is_closed(tmp_path: Path) -> None:
    """As a log of Kafka."""
    log = open_log(tmp_path)
    log.begin_epoch(0)
    log.close()
    assert {path.name for path in log.directory.iterdir()} == {
        f"{0:020d}.log",
        f"{0:020d}.index",
        f"{0:020d}.timeindex",
        "leader-epoch-checkpoint",
    }


def test_a_log_without_files_is_empty_after_a_crash(tmp_path: Path) -> None:
    """Before its first record; then it can be written."""
    log = open_log(tmp_path)
    log.begin_epoch(0)
    again = reopened(tmp_path)
    assert (again.log_start_offset, again.log_end_offset) == (0, 0)
    again.append_as_leader(batch(2), 1)
    again.close()
    indexes = {path.suffix for path in log.directory.glob("*index")}
    assert indexes == {".index", ".timeindex"}
    assert len(read_all(reopened(tmp_path, clean=True))) == 2


@pytest.mark.parametrize("clean", [True, False])
def test_damaged_epochs_are_rebuilt_from_the_batches(tmp_path: Path, clean: bool) -> None:
    """Each batch has its leader epoch."""
    log = written(tmp_path)
    expected = [log.end_offset_for_epoch(epoch) for epoch in (0, 1)]
    log.close()
    (log.directory / "leader-epoch-checkpoint").write_text("0\n7\n")
    again = reopened(tmp_path, clean=clean, recovery_point=20)
    assert [again.end_offset_for_epoch(epoch) for epoch in (0, 1)] == expected
    assert len(read_all(again)) == 20


def test_a_clean_log_with_an_incomplete_batch_is_recovered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The active segment is checked."""
    log = written(tmp_path)
    log.close()
    last = max(log.directory.glob("*.log"))
    with last.open("r+b") as file:
        file.truncate(last.stat().st_size - 1)
    again = reopened(tmp_path, clean=True)
    assert f"{last}: there is no batch at position" in caplog.text
    assert [record.offset for record in read_all(again)] == list(range(18))
    assert again.append_as_leader(batch(1), 1).first_offset == 18


@pytest.mark.parametrize("damage", ["crash", "torn", "missing"])
def test_transaction_indexes_are_rebuilt(tmp_path: Path, damage: str) -> None:
    """After a crash, or if one is invalid."""
    log = open_log(tmp_path, segment_bytes=SMALL)
    for stored in (
        transactional(0, 0),
        transactional(2, 0, producer_id=6),
        marker(4, abort=True),
        batch(1, base_offset=5),
        marker(6, producer_id=6, abort=True),
        marker(7, abort=True),
    ):
        log.append_as_follower(stored, 0)
    aborted = [AbortedTxn(5, 0, 4, 2), AbortedTxn(6, 2, 6, 7)]
    assert log.aborted_transactions(0, 8) == aborted
    assert len(log.segments.base_offsets) > 2
    log.close()
    for index in log.directory.glob("*.txnindex"):
        if damage == "torn":
            index.write_bytes(index.read_bytes()[:-1])
        else:
            index.unlink()
    again = open_log(tmp_path, segment_bytes=SMALL, clean=damage == "torn")
    assert again.aborted_transactions(0, 8) == aborted
    again.update_high_watermark(again.log_end_offset_metadata)
    assert again.last_stable_offset == 8
