"""Frames out of a stream: a length of four bytes, then that many bytes.

Most of what arrives is whole frames, received and answered at once. So all connections of a thread
receive into one shared `scratch` buffer, and frames are views into it; only what is left over when
a connection lets go of the thread - half a frame, or frames behind a request in progress - is
copied into memory of its own. A connection whose frames arrive whole thus holds none while idle;
another keeps its buffer for the frames to come, unless it has grown large.

    scratch   |... frame ...|... frame ...|... half a fr|         shared
                                          `---- settle ----.
    own                                   |... half a frame ...|  only while there is something

A frame larger than the scratch buffer makes its own buffer grow as its bytes really arrive, at most
doubling: a length that lies costs nothing.
"""

from __future__ import annotations

from struct import Struct

from protocol.varints import Malformed

SCRATCH_BYTES = 256 * 1024

_LENGTH = Struct(">i")
LENGTH_BYTES = _LENGTH.size
_ROOM_MIN = 16 * 1024  # with less room than this, reading on would take too many calls
_KEPT_BYTES_MAX = 2 * 1024 * 1024  # an emptied buffer up to this size is kept for the next frame


class Scratch:
    """A buffer that the inboxes of one thread share."""

    __slots__ = ("buffer", "view")

    def __init__(self, size: int = SCRATCH_BYTES) -> None:
        self.buffer = bytearray(size)
        self.view = memoryview(self.buffer)


class Inbox:
    """The receiving side of a connection; frames of up to ``max_frame_bytes``.

    From `received` until `settle` nobody else may use the scratch buffer.
    """

    __slots__ = ("_end", "_max_frame_bytes", "_own", "_scratch", "_start", "_view")

    def __init__(self, max_frame_bytes: int, scratch: Scratch) -> None:
        self._max_frame_bytes = max_frame_bytes
        self._scratch = scratch
        self._own: memoryview | None = None
        # Where received bytes lie now: the scratch buffer, or our own.
        self._view = scratch.view
        # Invariant: 0 <= start <= end <= len(view); both 0 when the view is scratch and settled.
        self._start = 0
        self._end = 0

    @property
    def pending_bytes(self) -> int:
        """Bytes received and not yet handed out as frames."""
        return self._end - self._start

    @property
    def buffer_bytes(self) -> int:
        """The size of the inbox's own buffer."""
        return 0 if self._own is None else len(self._own)

    @property
    def awaited_bytes(self) -> int:
        """What is pending, or the size of the frame under way if that is more."""
        pending = self._end - self._start
        return max(pending, self._frame_bytes()) if pending else 0

    def space(self) -> memoryview:
        """Where to receive into; frames handed out before may be overwritten from now on."""
        if self._start == self._end:
            self._start = self._end = 0
            self._view = self._scratch.view if self._own is None else self._own
            return self._view
        self.settle()
        self._make_room()
        return self._view[self._end :]

    def received(self, count: int) -> None:
        """*count* bytes were received into `space`."""
        assert 0 <= count <= len(self._view) - self._end
        self._end += count

    def has_frame(self) -> bool:
        """Whether `next_frame` would return one, or raise."""
        pending = self._end - self._start
        return pending >= _LENGTH.size and pending >= self._frame_bytes()

    def next_frame(self) -> memoryview | None:
        """The next complete frame without its length, valid until `space`; raises `Malformed`."""
        start, end = self._start, self._end
        if end - start < _LENGTH.size:
            return None
        (size,) = _LENGTH.unpack_from(self._view, start)
        if not 0 <= size <= self._max_frame_bytes:
            raise Malformed(f"a frame of {size} bytes, {self._max_frame_bytes} is the most")
        begin = start + _LENGTH.size
        if end - begin < size:
            return None
        self._start = begin + size
        return self._view[begin : begin + size]

    def settle(self) -> None:
        """Leave the scratch buffer to others: keep what is pending in memory of our own."""
        if self._view is not self._scratch.view:
            if self._start == self._end and len(self._view) > _KEPT_BYTES_MAX:
                self._own = None
            return
        if self._start != self._end:
            self._move_to(max(2 * self.pending_bytes, _ROOM_MIN))

    def hand_over(self) -> bool:
        """Leave the memory of the last frame to its holder; False if it is the scratch buffer."""
        if self._view is self._scratch.view:
            return False
        self._own = None
        if self._start == self._end:
            self._view, self._start, self._end = self._scratch.view, 0, 0
        else:
            self._move_to(max(2 * self.pending_bytes, _ROOM_MIN))
        return True

    def clear(self) -> None:
        """Drop what is pending and the buffer; frames handed out stay valid as they are."""
        self._own = None
        self._view = self._scratch.view
        self._start = self._end = 0

    def _frame_bytes(self) -> int:
        """The size of the frame under way with its length, as far as one can believe it."""
        if self._end - self._start < _LENGTH.size:
            return _LENGTH.size
        size: int = _LENGTH.unpack_from(self._view, self._start)[0]
        return size + _LENGTH.size if 0 <= size <= self._max_frame_bytes else _LENGTH.size

    def _make_room(self) -> None:
        """Make room for the rest of the frame under way, or at least for a good read."""
        pending, size = self._end - self._start, len(self._view)
        missing = self._frame_bytes() - pending
        if size - self._end >= max(missing, _ROOM_MIN):
            return
        believed = min(missing, max(pending, SCRATCH_BYTES))
        self._move_to(pending + max(believed, _ROOM_MIN))

    def _move_to(self, size: int) -> None:
        """A fresh buffer of our own: frames handed out may still be held by someone."""
        pending = self._view[self._start : self._end]
        self._own = self._view = memoryview(bytearray(size))
        self._start, self._end = 0, len(pending)
        self._view[: self._end] = pending
