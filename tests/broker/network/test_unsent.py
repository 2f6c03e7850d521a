"""The bytes of responses that are not sent yet."""

from __future__ import annotations

import random

import pytest

from broker.network.unsent import PIECE_BYTES, SENT_AT_ONCE_BYTES, Unsent
from protocol.output import SPLICE_BYTES_MIN, Output, Splice
from tests.memory_transport import memory_transport_pair

LARGE = bytes(range(256)) * (SPLICE_BYTES_MIN // 256)


def response(text: bytes, records: Splice = b"") -> tuple[Output, int]:
    """An encoded response, and the position of its length."""
    out = Output()
    start = out.begin_frame()
    out += text
    out.splice(records)
    return out, start


def framed(*parts: bytes) -> bytes:
    """The same response as it is sent."""
    data = b"".join(parts)
    return len(data).to_bytes(4, "big") + data


@pytest.mark.parametrize("room", [1, 3, 1000, 1 << 20])
def test_responses_are_sent_in_order_with_any_socket_buffer(room: int) -> None:
    """Each send sends some bytes; together they are all bytes, in order."""
    ours, theirs = memory_transport_pair(room)
    unsent, received = Unsent(), bytearray()
    unsent.add(*response(b"one"))
    unsent.add(*response(b"two", LARGE))
    unsent.add(*response(b"three"))

    while unsent.size_bytes:
        before = unsent.size_bytes
        unsent.send(ours)
        assert before - unsent.size_bytes == len(theirs.incoming)
        received += theirs.incoming
        theirs.incoming.clear()

    assert received == framed(b"one") + framed(b"two", LARGE) + framed(b"three")


class Records:
    """Deferred bytes; ``read_bytes`` is the size of what was read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.read_bytes = 0

    def __len__(self) -> int:
        return len(self._data)

    def read(self, start: int, size: int) -> bytes:
        assert 0 < size <= PIECE_BYTES
        assert start + size <= len(self._data)
        self.read_bytes += size
        return self._data[start : start + size]


@pytest.mark.parametrize("room", [777, 100_000, 1 << 20])
def test_deferred_records_are_read_piece_by_piece(room: int) -> None:
    """They are sent in order, and at most one piece is in memory."""
    ours, theirs = memory_transport_pair(room)
    data = random.Random(1).randbytes(3 * PIECE_BYTES + 5)
    unsent, received = Unsent(), bytearray()
    unsent.add(*response(b"one"))
    unsent.add(*response(b"two", Records(data)))
    unsent.add(*response(b"three", Records(data[:100])))

    while unsent.size_bytes:
        assert unsent.held_bytes < 100
        unsent.send(ours)
        received += theirs.incoming
        theirs.incoming.clear()

    sent = framed(b"one") + framed(b"two", data) + framed(b"three", data[:100])
    assert received == sent


def test_no_piece_is_read_for_a_full_socket() -> None:
    """A socket that takes a part of a piece is full."""
    ours, _ = memory_transport_pair(room=1000)
    unsent, records = Unsent(), Records(bytes(3 * PIECE_BYTES))
    unsent.add(*response(b"one", records))

    unsent.send(ours)

    assert records.read_bytes == PIECE_BYTES


def test_a_fast_client_is_sent_a_limited_size_at_once() -> None:
    """Other connections are served then."""
    ours, theirs = memory_transport_pair(room=1 << 30)
    unsent = Unsent()
    unsent.add(*response(b"one", Records(bytes(2 * SENT_AT_ONCE_BYTES))))

    unsent.send(ours)

    assert 0 <= len(theirs.incoming) - SENT_AT_ONCE_BYTES < PIECE_BYTES


def test_responses_remain_if_the_socket_is_full() -> None:
    """Sending returns without waiting."""
    ours, _ = memory_transport_pair(room=0)
    unsent = Unsent()
    unsent.add(*response(b"one"))

    unsent.send(ours)

    assert unsent.size_bytes == len(framed(b"one"))


def test_clearing_drops_all_responses() -> None:
    """A closed connection sends nothing."""
    ours, theirs = memory_transport_pair()
    unsent = Unsent()
    unsent.add(*response(b"one", LARGE))

    unsent.clear()
    unsent.send(ours)

    assert not unsent.size_bytes
    assert not theirs.incoming
