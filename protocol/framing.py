"""Frames out of a stream: a length of four bytes, then that many bytes.

Bytes are received straight into one buffer, and frames are views into it. A frame under way makes
the buffer grow as its bytes really arrive, at most doubling: a length that lies costs nothing.

    |....... read ......|........ received ........|........ room ........|
                        ^ _start                   ^ _end
"""

from __future__ import annotations

from struct import Struct

from protocol.wire import Malformed

_LENGTH = Struct(">i")
_SIZE = 64 * 1024
_ROOM_MIN = 4 * 1024  # with less room than this, reading on would take too many calls


class Inbox:
    """The receiving side of a connection; frames of up to ``max_frame_bytes``."""

    __slots__ = ("_buffer", "_end", "_max_frame_bytes", "_start", "_view")

    def __init__(self, max_frame_bytes: int) -> None:
        self._max_frame_bytes = max_frame_bytes
        self._buffer = bytearray(_SIZE)
        self._view = memoryview(self._buffer)
        # Invariant: 0 <= start <= end <= len(buffer).
        self._start = 0
        self._end = 0

    @property
    def pending_bytes(self) -> int:
        """Bytes received and not yet handed out as frames."""
        return self._end - self._start

    def space(self) -> memoryview:
        """Where to receive into; frames handed out before may be overwritten from now on."""
        if self._start == self._end:
            self._start = self._end = 0
            if len(self._buffer) > _SIZE:
                self._move_to(_SIZE)
        wanted = self._frame_bytes()
        if self._start + wanted > len(self._buffer) or len(self._buffer) - self._end < _ROOM_MIN:
            self._make_room(wanted)
        return self._view[self._end :]

    def received(self, count: int) -> None:
        """*count* bytes were received into `space`."""
        assert 0 <= count <= len(self._buffer) - self._end
        self._end += count

    def has_frame(self) -> bool:
        """Whether `next_frame` would return one (or raise)."""
        return self.pending_bytes >= _LENGTH.size and self.pending_bytes >= self._frame_bytes()

    def next_frame(self) -> memoryview | None:
        """The next complete frame without its length, valid until `space`; raises `Malformed`."""
        start, end = self._start, self._end
        if end - start < _LENGTH.size:
            return None
        (size,) = _LENGTH.unpack_from(self._buffer, start)
        if not 0 <= size <= self._max_frame_bytes:
            raise Malformed(f"a frame of {size} bytes, more than {self._max_frame_bytes}")
        begin = start + _LENGTH.size
        if end - begin < size:
            return None
        self._start = begin + size
        return self._view[begin : begin + size]

    def _frame_bytes(self) -> int:
        """The size of the frame under way with its length, as far as one can believe it."""
        if self._end - self._start < _LENGTH.size:
            return _LENGTH.size
        size: int = _LENGTH.unpack_from(self._buffer, self._start)[0]
        return size + _LENGTH.size if 0 <= size <= self._max_frame_bytes else _LENGTH.size

    def _make_room(self, wanted: int) -> None:
        """Move what is pending to the front, of a larger buffer if the frame needs one."""
        size = len(self._buffer)
        if wanted > size:
            believed = max(2 * self.pending_bytes, _SIZE)
            size = max(size, min(wanted, believed))
        if self.pending_bytes + _ROOM_MIN > size:
            size *= 2
        self._move_to(size)

    def _move_to(self, size: int) -> None:
        """A fresh buffer: frames handed out may still be held by someone, and keep the old one."""
        pending = self._view[self._start : self._end]
        fresh = bytearray(size)
        fresh[: len(pending)] = pending
        self._buffer, self._view = fresh, memoryview(fresh)
        self._start, self._end = 0, len(pending)
