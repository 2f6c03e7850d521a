"""Tests of recovery after an unclean shutdown: `broker.storage.log.log_recovery`."""

from __future__ import annotations

import logging
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broker.storage.files.disk import Disk
from broker.storage.log.log_recovery import PROGRESS_BYTES, Progress
from broker.storage.log_config import LogConfig
from broker.storage.segments.segment import LogSegment
from protocol.record_batch.batch import batches
from tests.broker.storage.logs import NOW_MS, batch, died, read_all, reopened, written

# Each example writes files, as fast as the disk lets it.
FILES = settings(max_examples=40)


@FILES
@given(cut=st.integers(1, 2000))
def test_an_incomplete_batch_at_the_end_is_removed(cut: int) -> None:
    """For any number of missing bytes in the last segment."""
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
        assert last.stat().st_size == log.log_end_offset_metadata.relative_position_in_segment


@FILES
@given(data=st.data())
def test_a_changed_byte_ends_the_log_there(data: st.DataObject) -> None:
    """No damaged batch is served, no batch before it is lost, and later offsets follow."""
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
def test_a_changed_base_offset_does_not_lower_offsets(data: st.DataObject) -> None:
    """It may not be detected, but offsets increase and fit into the segment."""
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


def test_a_corrupt_batch_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With the file, the position, and the segments that are removed."""
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


@FILES
@given(data=st.data())
def test_a_damaged_small_file_is_rebuilt(data: st.DataObject) -> None:
    """For any changed byte of indexes, leader epochs and snapshots, every record is served."""
    with TemporaryDirectory() as folder:
        log = written(Path(folder))
        clean = data.draw(st.booleans())
        log.close()
        small = sorted(
            path
            for path in log.directory.iterdir()
            if path.suffix != ".log" and path.stat().st_size
        )
        victim = data.draw(st.sampled_from(small))
        content = bytearray(victim.read_bytes())
        if data.draw(st.booleans()):
            del content[data.draw(st.integers(0, len(content) - 1)) :]
        else:
            content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        victim.write_bytes(content)
        again = reopened(Path(folder), clean=clean, recovery_point=20)
        if victim.suffix not in (
            ".index",
            ".timeindex",
        ):  # a changed one may lead astray, as Kafka's
            assert [record.offset for record in read_all(again)] == list(range(20))
        assert again.append_as_leader(batch(1), 2).first_offset == 20


def test_a_long_recovery_logs_its_progress(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One message per so many bytes of all logs."""
    segment = LogSegment(tmp_path, 0, LogConfig(), Disk(), NOW_MS)
    progress = Progress()
    for _ in range(10):
        progress.advance(segment, PROGRESS_BYTES // 4)
    assert caplog.messages == [
        f"{tmp_path}: {PROGRESS_BYTES >> 20} MB of logs checked so far",
        f"{tmp_path}: {PROGRESS_BYTES >> 19} MB of logs checked so far",
    ]
