"""Where an offset lies: `broker.storage.offset_metadata`."""

from __future__ import annotations

from broker.storage.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata


def test_an_offset_alone_has_no_place() -> None:
    """As a follower hears of the high watermark."""
    assert LogOffsetMetadata(5).message_offset_only
    assert UNKNOWN_OFFSET_METADATA.message_offset_only


def test_an_offset_with_its_place() -> None:
    """Segment and position."""
    assert not LogOffsetMetadata(5, 0, 70).message_offset_only
    assert LogOffsetMetadata(5, 0, 70) == LogOffsetMetadata(5, 0, 70)
