"""Tests of the segments of a log: `broker.storage.segments.log_segments`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import InvariantBroken
from broker.storage.files.disk import Disk
from broker.storage.log_config import LogConfig
from broker.storage.segments.log_segments import LogSegments
from broker.storage.segments.segment import LogSegment
from tests.broker.storage.logs import NOW_MS, batch


def new(path: Path, base: int) -> LogSegment:
    return LogSegment.create(path, base, LogConfig(), Disk(), NOW_MS)


@pytest.fixture
def segments(tmp_path: Path) -> LogSegments:
    """Three empty segments, from 0, 10 and 20."""
    return LogSegments([new(tmp_path, base) for base in (20, 0, 10)])


def bases(segments: LogSegments) -> list[int]:
    return [segment.base_offset for segment in segments]


def test_segments_are_in_order(segments: LogSegments) -> None:
    """The last one is active."""
    assert bases(segments) == [0, 10, 20]
    assert (segments.first.base_offset, segments.active.base_offset) == (0, 20)
    assert len(segments) == 3


@pytest.mark.parametrize(("offset", "expected"), [(0, 0), (9, 0), (10, 10), (20, 20), (99, 20)])
def test_an_offset_is_in_one_segment(segments: LogSegments, offset: int, expected: int) -> None:
    """The last one with a base offset up to it."""
    assert next(segments.from_offset(offset)).base_offset == expected


def test_a_new_segment_is_active(segments: LogSegments, tmp_path: Path) -> None:
    """It is after all others."""
    segments.add(new(tmp_path, 30))
    assert segments.active.base_offset == 30


def test_segments_are_removed_from_both_ends(segments: LogSegments) -> None:
    """One always remains."""
    assert [each.base_offset for each in segments.drop_from(10)] == [20]
    assert [each.base_offset for each in segments.drop_first(1)] == [0]
    assert segments.active is segments.first
    assert segments.drop_from(0) == []


def test_the_size_is_that_of_all_segments(tmp_path: Path) -> None:
    """After each change of the segments."""
    segments = LogSegments([filled(tmp_path, 0, 3), filled(tmp_path, 3, 2)])
    assert batches_in(segments) == 5
    segments.add(filled(tmp_path, 5, 1))
    fill(segments.active, 1)
    assert batches_in(segments) == 7
    segments.drop_from(3)
    fill(segments.active, 1)
    assert batches_in(segments) == 6
    segments.add(filled(tmp_path, 6, 1))
    segments.replace([segments.first], filled(tmp_path / "cleaned", 0, 1))
    assert batches_in(segments) == 5
    segments.drop_first(1)
    assert batches_in(segments) == 4
    segments.replace_all(filled(tmp_path, 9, 1))
    assert batches_in(segments) == 1


def filled(path: Path, base: int, batches: int) -> LogSegment:
    """A segment with so many batches of one record."""
    path.mkdir(exist_ok=True)
    segment = new(path, base)
    fill(segment, batches)
    return segment


def fill(segment: LogSegment, batches: int) -> None:
    for _ in range(batches):
        data = batch(1, base_offset=segment.next_offset())
        segment.append(data, [(len(data), segment.next_offset(), NOW_MS)])


def batches_in(segments: LogSegments) -> float:
    return segments.size_bytes / len(batch(1))


def test_all_segments_are_replaced(segments: LogSegments, tmp_path: Path) -> None:
    """By one, as in a full truncation."""
    segments.replace_all(new(tmp_path, 50))
    assert bases(segments) == [50]
    assert segments.active.base_offset == 50


def test_empty_segments_have_nothing(segments: LogSegments) -> None:
    """No position and nothing to delete."""
    assert segments.locate(5) is None
    assert segments.deletable(LogConfig(retention_ms=0), 0, 0, 20, NOW_MS, 3) == (0, 0)


def test_a_segment_without_batches_is_as_old_as_its_file(segments: LogSegments) -> None:
    """Retention does not delete what a compaction has emptied before its time."""
    deleted = []
    for age_ms in (500, 1500):
        segments.first.file.set_modified_ms(NOW_MS - age_ms)
        deleted.append(segments.deletable(LogConfig(retention_ms=1000), 0, 20, 20, NOW_MS, 1))
    assert deleted == [(0, 0), (1, 10)]


def test_a_segment_out_of_order_is_an_inconsistency(segments: LogSegments) -> None:
    """It would hide records, so the node stops."""
    with pytest.raises(InvariantBroken, match="before the last"):
        segments.add(segments.first)


def test_only_adjacent_segments_are_replaced(segments: LogSegments) -> None:
    """Other segments are an error of the compaction."""
    with pytest.raises(InvariantBroken, match="not adjacent"):
        segments.replace(list(segments)[:2][::-1], segments.first)


def test_the_active_segment_is_not_replaced(segments: LogSegments, tmp_path: Path) -> None:
    """Later records would be appended to a file that is removed."""
    with pytest.raises(InvariantBroken, match="active"):
        segments.replace([segments.active], new(tmp_path, 20))
    assert bases(segments) == [0, 10, 20]
