"""Splits a stream into frames: a length of four bytes, then that many bytes.

Most frames arrive whole and are processed at once. So all connections of a thread receive into one
shared `scratch` buffer, and frames are views into it. What is left when the turn of a connection
ends (a partial frame, or frames after a request in progress) is copied to memory of its own. A
connection whose frames arrive whole thus has no buffer while idle; another keeps its buffer for
later frames unless the buffer has grown large. `settle` tells whether it may be worth releasing.

    scratch   |... frame ...|... frame ...|... half a fr|         shared
                                          `---- settle ----.
    own                                   |... half a frame ...|  only while bytes are pending

For a frame larger than the scratch buffer the own buffer grows as bytes arrive, at most doubling,
so a false length allocates nothing. A length is believed up to that of the largest frame that has
arrived: then the buffer has room for the whole frame at once.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from protocol.varints import Malformed

SCRATCH_BYTES: Final = 256 * 1024

_LENGTH: Final = Struct(">i")
LENGTH_BYTES: Final = 4  # its size
_ROOM_MIN: Final = 16 * 1024  # less free space than this would take too many reads
# An emptied buffer up to this size is kept for the next frame.
_KEPT_BYTES_MAX: Final = 2 * 1024 * 1024
# Above this size it is worth releasing after a while.
_SMALL_BYTES: Final = 64 * 1024


class InvalidLength(Malformed):
    """The length of a frame is negative, or larger than the maximum."""


class Scratch:
    """A buffer that the inboxes of one thread share."""

    __slots__ = ("buffer", "view")

    def __init__(self, size: int = SCRATCH_BYTES) -> None:
        self.buffer = bytearray(size)
        self.view = memoryview(self.buffer)


class Inbox:
    """The receiving side of a connection; frames of up to ``max_frame_bytes``.

    From `received` until `settle` no other inbox may use the scratch buffer.
    """

    __slots__ = (
        "_believed_bytes",
        "_end",
        "_own",
        "_scratch",
        "_start",
        "_view",
        "max_frame_bytes",
    )

    def __init__(self, max_frame_bytes: int, scratch: Scratch) -> None:
        self.max_frame_bytes = max_frame_bytes
        self._scratch = scratch
        self._own: memoryview | None = None
        # Where received bytes are: the scratch buffer, or our own.
        self._view = scratch.view
        # Invariant: 0 <= start <= end <= len(view); both 0 when the view is scratch and settled.
        self._start = 0
        self._end = 0
        self._believed_bytes = 0  # the size of the largest frame, up to a limit

    @property
    def pending_bytes(self) -> int:
        """The number of bytes received and not yet returned as frames."""
        return self._end - self._start

    @property
    def buffer_bytes(self) -> int:
        """The size of the inbox's own buffer."""
        return 0 if self._own is None else len(self._own)

    @property
    def awaited_bytes(self) -> int:
        """The pending bytes, or the size of the incomplete frame if that is more."""
        pending = self._end - self._start
        return max(pending, self._frame_bytes()) if pending else 0

    def space(self) -> memoryview:
        """Return the memory to receive into; earlier frames may be overwritten from now on."""
        if self._start == self._end:
            self._start = self._end = 0
            self._view = self._scratch.view if self._own is None else self._own
            return self._view
        self.settle()
        self._make_room()
        return self._view[self._end :]

    def received(self, count: int) -> None:
        """Record that *count* bytes were received into `space`."""
        assert 0 <= count <= len(self._view) - self._end
        self._end += count

    def has_frame(self) -> bool:
        """Whether `next_frame` would return a frame, or raise."""
        pending = self._end - self._start
        return pending >= LENGTH_BYTES and pending >= self._frame_bytes()

    def next_frame(self) -> memoryview | None:
        """The next complete frame without its length, valid until `space`.

        Raises `InvalidLength`.
        """
        start, end = self._start, self._end
        if end - start < LENGTH_BYTES:
            return None
        size: int
        (size,) = _LENGTH.unpack_from(self._view, start)
        if not 0 <= size <= self.max_frame_bytes:
            raise InvalidLength(f"a frame of {size} bytes; the maximum is {self.max_frame_bytes}")
        begin = start + LENGTH_BYTES
        if end - begin < size:
            return None
        self._start = begin + size
        if size > self._believed_bytes:
            self._believed_bytes = min(LENGTH_BYTES + size, _KEPT_BYTES_MAX)
        return self._view[begin : begin + size]

    def settle(self) -> bool:
        """Release the scratch buffer: copy pending bytes to memory of our own.

        Returns whether a large buffer is kept that is empty.
        """
        if self._view is self._scratch.view:
            if self._start != self._end:
                self._move_to(self._size_for_rest())
            return False
        if self._start != self._end:
            return False
        size = len(self._view)
        if size > _KEPT_BYTES_MAX:
            self._own = None
            return False
        return size > _SMALL_BYTES

    @property
    def is_shared(self) -> bool:
        """Whether the memory of the last frame is the scratch buffer."""
        return self._view is self._scratch.view

    def hand_over(self) -> bool:
        """Give the memory of the last frame to its holder; False if it is the scratch buffer."""
        if self._view is self._scratch.view:
            return False
        self._own = None
        if self._start == self._end:
            self._view, self._start, self._end = self._scratch.view, 0, 0
        else:
            self._move_to(self._size_for_rest())
        return True

    def clear(self) -> None:
        """Drop pending bytes and the buffer; frames returned earlier stay valid."""
        self._own = None
        self._view = self._scratch.view
        self._start = self._end = 0

    def _frame_bytes(self) -> int:
        """The size of the incomplete frame with its length, limited by what may be trusted."""
        if self._end - self._start < LENGTH_BYTES:
            return LENGTH_BYTES
        size: int = _LENGTH.unpack_from(self._view, self._start)[0]
        return size + LENGTH_BYTES if 0 <= size <= self.max_frame_bytes else LENGTH_BYTES

    def _make_room(self) -> None:
        """Make room for the rest of the incomplete frame, or at least for an efficient read."""
        pending, size = self._end - self._start, len(self._view)
        missing = self._frame_bytes() - pending
        # To move many bytes takes longer than one more read.
        is_enough = pending > _ROOM_MIN and missing > 0
        if size - self._end >= (missing if is_enough else max(missing, _ROOM_MIN)):
            return
        believed = min(missing, max(pending, SCRATCH_BYTES, self._believed_bytes))
        self._move_to(pending + max(believed, _ROOM_MIN))

    def _size_for_rest(self) -> int:
        """The size of a buffer for the pending bytes and for what arrives next."""
        pending, believed = self.pending_bytes, min(self._frame_bytes(), self._believed_bytes)
        return max(2 * pending if believed <= pending else believed, pending + _ROOM_MIN)

    def _move_to(self, size: int) -> None:
        """Move pending bytes to a new buffer: frames returned earlier may still be in use."""
        pending = self._view[self._start : self._end]
        self._own = self._view = memoryview(bytearray(size))
        self._start, self._end = 0, len(pending)
        self._view[: self._end] = pending
