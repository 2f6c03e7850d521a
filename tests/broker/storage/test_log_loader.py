"""Opening a log that may have died: `broker.storage.log_loader`."""

from __future__ import annotations

import logging
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broker.storage.checkpoints import read_epoch_checkpoint
from broker.storage.log import Log
from broker.storage.producer_snapshot import snapshot_offsets
from protocol.compression import Codec
from protocol.records import batches
from tests.broker.storage.logs import batch, open_log, read_all

SEGMENT_BYTES = 500
# Each example writes files, as fast as the disk lets it.
FILES = settings(deadline=None, max_examples=40)


def written(path: Path) -> Log:
    """Ten batches of two records in several segments, by one producer in two epochs."""
    log = open_log(path, segment_bytes=SEGMENT_BYTES, index_interval_bytes=100)
    for number in range(10):
        sent = batch(
            2,
            producer_id=1,
            producer_epoch=0,
            base_sequence=number * 2,
            codec=Codec(number % 5),
        )
        log.append_as_leader(sent, number // 5)
    return log


def died(log: Log) -> Path:
    """The log's folder as a process that was killed leaves it."""
    return log.directory.parent


def reopened(path: Path, **more: Any) -> Log:
    return open_log(path, segment_bytes=SEGMENT_BYTES, index_interval_bytes=100, **more)


def test_nothing_is_lost_without_a_clean_shutdown(tmp_path: Path) -> None:
    """What was written is found, with epochs, producers and indexes."""
    path = died(written(tmp_path))
    (tmp_path / "orders-0" / "leader-epoch-checkpoint").unlink()
    log = reopened(path)
    assert [record.offset for record in read_all(log)] == list(range(20))
    assert log.end_offset_for_epoch(0) == (0, 10)
    last = batch(2, producer_id=1, producer_epoch=0, base_sequence=18, codec=Codec.ZSTD)
    assert log.append_as_leader(last, 1).duplicate
    assert list((tmp_path / "orders-0").glob("*.timeindex"))


@FILES
@given(cut=st.integers(1, 2000))
def test_a_torn_tail_is_cut_at_the_last_whole_batch(cut: int) -> None:
    """However many bytes of the last segment the disk did not get."""
    with TemporaryDirectory() as folder:
        path = died(written(Path(folder)))
        last = max((path / "orders-0").glob("*.log"))
        size = last.stat().st_size
        with last.open("r+b") as file:
            file.truncate(max(0, size - cut))
        log = reopened(path)
        offsets = [record.offset for record in read_all(log)]
        assert offsets == list(range(log.log_end_offset))
        assert log.log_end_offset >= int(last.stem)
        assert log.append_as_leader(batch(1), 2).first_offset == log.log_end_offset - 1
        assert last.stat().st_size == log.end_metadata.relative_position_in_segment


@FILES
@given(data=st.data())
def test_a_changed_byte_ends_the_log_there(data: st.DataObject) -> None:
    """No damaged batch is served, nothing before it is lost, and offsets go on behind it."""
    with TemporaryDirectory() as folder:
        path = died(written(Path(folder)))
        victim = data.draw(st.sampled_from(sorted((path / "orders-0").glob("*.log"))))
        content = bytearray(victim.read_bytes())
        begins = [position for position, _ in batches(content)]
        start, end = data.draw(st.sampled_from(list(pairwise([*begins, len(content)]))))
        # Base offset and leader epoch may change: no checksum covers them.
        at = data.draw(st.integers(start + 16, end - 1))
        content[at] ^= data.draw(st.integers(1, 255))
        victim.write_bytes(content)
        log = reopened(path)
        offsets = [record.offset for record in read_all(log)]
        assert offsets == list(range(len(offsets)))
        assert len(offsets) >= int(victim.stem)
        info = log.append_as_leader(batch(1), 2)
        assert [record.offset for record in read_all(log)] == [*offsets, info.first_offset]


@FILES
@given(data=st.data())
def test_a_changed_base_offset_does_not_turn_the_log_back(data: st.DataObject) -> None:
    """It may go unnoticed, but offsets never go down, nor beyond what a segment can hold."""
    with TemporaryDirectory() as folder:
        path = died(written(Path(folder)))
        victim = data.draw(st.sampled_from(sorted((path / "orders-0").glob("*.log"))))
        content = bytearray(victim.read_bytes())
        begins = [position for position, _ in batches(content)]
        at = data.draw(st.sampled_from(begins)) + data.draw(st.integers(0, 7))
        content[at] ^= data.draw(st.integers(1, 255))
        victim.write_bytes(content)
        log = reopened(path)
        offsets = [record.offset for record in read_all(log)]
        assert offsets == sorted(set(offsets))
        assert log.log_end_offset < 2**32


def test_a_corrupt_middle_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With the file and the position, and what lies behind it and is lost."""
    path = died(written(tmp_path))
    first, *later = sorted((path / "orders-0").glob("*.log"))
    content = bytearray(first.read_bytes())
    content[30] ^= 1
    first.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        log = reopened(path)
    assert log.log_end_offset == 0
    assert f"{first}: no valid batch at position 0" in caplog.text
    assert all(str(lost) in caplog.text for lost in later)
    assert not any(lost.exists() for lost in later)


def test_below_the_recovery_point_nothing_is_read_again(tmp_path: Path) -> None:
    """Damage there is not looked for: the disk was asked to keep it."""
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
def test_a_bad_index_is_made_anew(tmp_path: Path, suffix: str, damage: str) -> None:
    """Even after a clean shutdown."""
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


def test_a_bad_snapshot_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The one before it and the batches say as much."""
    written(tmp_path).close()
    last = max((tmp_path / "orders-0").glob("*.snapshot"))
    last.write_bytes(last.read_bytes()[:-1])
    log = reopened(tmp_path, clean=True)
    assert str(last) in caplog.text
    again = batch(2, producer_id=1, producer_epoch=0, base_sequence=18, codec=Codec.ZSTD)
    assert log.append_as_leader(again, 1).duplicate


def test_snapshots_that_no_truncation_goes_back_to_are_removed(tmp_path: Path) -> None:
    """The latest stays, and those where a segment begins."""
    for _ in range(3):
        log = reopened(tmp_path)
        for _ in range(2):
            log.append_as_leader(batch(1), 0)
        log.close()
    log = reopened(tmp_path, clean=True)
    assert log.segment_base_offsets == [0]
    assert snapshot_offsets(tmp_path / "orders-0") == [6]


def test_unfinished_files_are_removed(tmp_path: Path) -> None:
    """What a process left behind that died while it replaced or deleted."""
    written(tmp_path).close()
    folder = tmp_path / "orders-0"
    strays = ["00000000000000000000.log.deleted", "leader-epoch-checkpoint.tmp", "5.index"]
    for name in strays:
        (folder / name).write_bytes(b"x")
    reopened(tmp_path, clean=True)
    assert not any((folder / name).exists() for name in strays)


def test_epochs_behind_the_end_are_forgotten(tmp_path: Path) -> None:
    """A torn tail takes its epochs along."""
    path = died(written(tmp_path))
    for log_file in sorted((path / "orders-0").glob("*.log"))[1:]:
        log_file.unlink()
    with (path / "orders-0" / f"{0:020d}.log").open("r+b") as file:
        file.truncate(200)
    log = reopened(path)
    assert log.log_end_offset < 10
    assert read_epoch_checkpoint(path / "orders-0" / "leader-epoch-checkpoint") == [(0, 0)]


def test_a_log_that_ends_before_its_start_begins_anew(tmp_path: Path) -> None:
    """Its records were deleted, the disk lost the rest: offsets must not be given twice."""
    path = died(written(tmp_path))
    log = reopened(path, log_start_offset=50)
    assert (log.log_start_offset, log.log_end_offset) == (50, 50)
    assert log.append_as_leader(batch(1), 3).first_offset == 50


def test_a_new_folder_is_an_empty_log(tmp_path: Path) -> None:
    """With its first segment's file."""
    log = open_log(tmp_path)
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (0, 0, 0)
    assert (tmp_path / "orders-0" / f"{0:020d}.log").exists()
