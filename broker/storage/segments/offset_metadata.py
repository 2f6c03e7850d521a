"""An offset with its segment and byte position (Kafka's ``LogOffsetMetadata``)."""

from __future__ import annotations

from typing import Final

from protocol.lazy_dataclass import dataclass

UNKNOWN_SEGMENT: Final = -1
UNKNOWN_POSITION: Final = -1


@dataclass(slots=True)
class LogOffsetMetadata:
    """An offset, and the place where its batch begins, which may be unknown.

    Invariant: the segment is unknown exactly when the position is.
    """

    message_offset: int
    segment_base_offset: int = UNKNOWN_SEGMENT
    relative_position_in_segment: int = UNKNOWN_POSITION

    @property
    def message_offset_only(self) -> bool:
        """Whether segment and position are unknown."""
        return self.segment_base_offset == UNKNOWN_SEGMENT


UNKNOWN_OFFSET_METADATA: Final = LogOffsetMetadata(-1)
