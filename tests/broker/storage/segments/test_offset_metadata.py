"""Tests of offsets with their places: `broker.storage.segments.offset_metadata`."""

from __future__ import annotations

from broker.storage.segments.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata


def test_an_offset_may_have_no_place() -> None:
    """As the high watermark of a follower."""
    assert LogOffsetMetadata(5).message_offset_only
    assert UNKNOWN_OFFSET_METADATA.message_offset_only


def test_an_offset_may_have_a_place() -> None:
    """Its segment and position."""
    assert not LogOffsetMetadata(5, 0, 70).message_offset_only
    assert LogOffsetMetadata(5, 0, 70) == LogOffsetMetadata(5, 0, 70)
