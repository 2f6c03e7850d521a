"""Ciphertext in pieces of a few records."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.network.transports.tls_records import RECORDS_AT_ONCE, RecordPieces


def record(size: int) -> bytes:
    """A record of TLS with a body of *size* bytes."""
    return b"\x17\x03\x03" + size.to_bytes(2, "big") + bytes([0xFF]) * size


def pieces_of(stream: bytes, received: int) -> list[bytes]:
    """The pieces of a stream of which *received* bytes arrive at once."""
    pieces, found = RecordPieces(), list[bytes]()
    for start in range(0, len(stream), received):
        rest = memoryview(stream)[start : start + received]
        while rest:
            pieces.left = RECORDS_AT_ONCE
            size = pieces.take(rest)
            found.append(bytes(rest[:size]))
            rest = rest[size:]
    return found


@given(st.lists(st.integers(0, 70), max_size=100), st.integers(1, 3000))
def test_the_pieces_are_the_stream(sizes: list[int], received: int) -> None:
    """However it arrives; no piece is empty."""
    stream = b"".join(map(record, sizes))

    pieces = pieces_of(stream, received)

    assert b"".join(pieces) == stream
    assert all(pieces)


def test_a_piece_ends_after_a_few_records() -> None:
    """Records of any size count, also empty ones."""
    first, second = record(0) + record(300) * (RECORDS_AT_ONCE - 1), record(1) * 3

    assert pieces_of(first + second, 1 << 20) == [first, second]


def test_records_that_arrive_in_parts_count_once() -> None:
    """The header and the body may be divided anywhere."""
    pieces = RecordPieces()
    stream = memoryview(record(9) * (RECORDS_AT_ONCE + 1))

    taken = sum(pieces.take(stream[at : at + 1]) for at in range(len(stream)))

    assert taken == len(stream) - 14
    assert not pieces.left
