"""Tests of messages being encoded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.frame_length import begin_frame, finish_frame
from protocol.output import SPLICE_BYTES_MIN, Output, SendFile, as_bytes


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2 * SPLICE_BYTES_MIN)), max_size=8))
def test_parts_are_the_message_in_order(pieces: list[tuple[bool, int]]) -> None:
    """The parts joined are the message, however copied and spliced pieces alternate."""
    out, expected = Output(), b""
    start = begin_frame(out)
    for number, (spliced, size) in enumerate(pieces):
        piece = bytes([number]) * size
        if spliced:
            out.splice(piece)
        else:
            out += piece
        expected += piece

    size = finish_frame(out, start)

    assert out.joined() == len(expected).to_bytes(4, "big") + expected
    assert size == len(expected) + 4


def test_large_values_are_not_copied() -> None:
    """A large value is not copied; a small one is copied rather than sent as a part."""
    large, small, out = bytes(SPLICE_BYTES_MIN), b"small", Output()
    out.splice(small)
    out.splice(large)

    assert out.parts()[1] is large
    assert as_bytes(out.parts()[0]) == small


def test_messages_share_no_values() -> None:
    """What is spliced into one message is not a part of another."""
    one, other = Output(), Output()
    one.splice(bytes(SPLICE_BYTES_MIN))

    assert not other.splices
    assert other.joined() == b""


class Later:
    """Bytes that are read when they are sent."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def read(self, start: int, size: int) -> bytes:
        return self._data[start : start + size]

    def send(self, _send_file: SendFile, _start: int, _size: int) -> None:
        """They are in no file."""


@pytest.mark.parametrize("size", [1, SPLICE_BYTES_MIN])
def test_deferred_bytes_are_not_read_before_they_are_sent(size: int) -> None:
    """Deferred bytes are a part of any size, which is included in the frame's length."""
    out, later = Output(), Later(bytes(size))
    start = begin_frame(out)
    out.splice(later)

    assert finish_frame(out, start) == size + 4
    assert out.parts()[1] is later
    assert out.joined() == size.to_bytes(4, "big") + bytes(size)
