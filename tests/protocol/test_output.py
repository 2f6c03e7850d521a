"""Messages on their way out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from protocol.output import SPLICE_BYTES_MIN, Output


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2 * SPLICE_BYTES_MIN)), max_size=8))
def test_parts_are_the_message_in_order(pieces: list[tuple[bool, int]]) -> None:
    """However copied and spliced pieces alternate, joined they are what was written."""
    out, expected = Output(), b""
    start = out.begin_frame()
    for number, (spliced, size) in enumerate(pieces):
        piece = bytes([number]) * size
        if spliced:
            out.splice(piece)
        else:
            out += piece
        expected += piece

    size = out.finish_frame(start)

    assert out.joined() == len(expected).to_bytes(4, "big") + expected
    assert size == len(expected) + 4


def test_large_values_are_not_copied() -> None:
    """A large value is the very object that was given; a small one is not worth a part."""
    large, small, out = bytes(SPLICE_BYTES_MIN), b"small", Output()
    out.splice(small)
    out.splice(large)

    assert out.parts()[1] is large
    assert bytes(out.parts()[0]) == small
