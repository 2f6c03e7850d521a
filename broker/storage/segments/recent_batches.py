"""The exact positions of a segment's latest batches, for readers that follow the log end."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import Final

RECENT_MAX: Final = 256


# Position and size of a batch in the segment's file, in bytes.
BatchPlace = tuple[int, int]


class RecentBatches:
    """The last offsets and positions of up to 256 batches at the end of the segment.

    ``from_offset`` is the first offset that can be located.
    """

    __slots__ = ("_last_offsets", "_positions", "from_offset")

    def __init__(self, from_offset: int) -> None:
        self.from_offset = from_offset
        self._last_offsets = array("q")
        self._positions = array("q")

    def add(self, last_offset: int, position: int) -> None:
        """Add a batch that has been written at the end of the segment."""
        last_offsets = self._last_offsets
        last_offsets.append(last_offset)
        self._positions.append(position)
        if len(last_offsets) > RECENT_MAX:
            half = RECENT_MAX // 2
            self.from_offset = last_offsets[half - 1] + 1
            del last_offsets[:half]
            del self._positions[:half]

    def locate(self, offset: int, segment_bytes: int) -> BatchPlace | None:
        """The batch with *offset*, which is at least ``from_offset``; None above the last."""
        found = bisect_left(self._last_offsets, offset)
        positions = self._positions
        if found == len(positions):
            return None
        position = positions[found]
        following = positions[found + 1] if found + 1 < len(positions) else segment_bytes
        return position, following - position
