"""Writes the length of a frame, which is known when the frame is complete."""

from __future__ import annotations

from struct import Struct
from typing import Final

from protocol.output import Output

_LENGTH: Final = Struct(">i")


def begin_frame(out: Output) -> int:
    """Reserve space for a frame's length; returns its position, for `finish_frame`."""
    start = len(out)
    out += b"\0\0\0\0"
    return start


def finish_frame(out: Output, start: int) -> int:
    """Write the length of the only frame, begun at *start*; returns its total size."""
    size: int = len(out) + out.spliced_bytes
    _LENGTH.pack_into(out, start, size - start - 4)
    return size
