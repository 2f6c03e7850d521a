"""What a socket has not taken yet, byte for byte."""

from __future__ import annotations

import pytest

from broker.unsent import Unsent
from protocol.output import SPLICE_BYTES_MIN, Output
from tests.memory_transport import memory_transport_pair

LARGE = bytes(range(256)) * (SPLICE_BYTES_MIN // 256)


def response(text: bytes, records: bytes = b"") -> tuple[Output, int]:
    """An encoded response, and where its length goes."""
    out = Output()
    start = out.begin_frame()
    out += text
    out.splice(records)
    return out, start


def framed(*parts: bytes) -> bytes:
    """The same as it goes over the wire."""
    data = b"".join(parts)
    return len(data).to_bytes(4, "big") + data


@pytest.mark.parametrize("room", [1, 3, 1000, 1 << 20])
def test_responses_leave_in_order_however_little_is_taken(room: int) -> None:
    """Each send takes some bytes; together they are all bytes, in order."""
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


def test_a_socket_that_takes_nothing_is_left_alone() -> None:
    """Sending returns; the responses stay."""
    ours, _ = memory_transport_pair(room=0)
    unsent = Unsent()
    unsent.add(*response(b"one"))

    unsent.send(ours)

    assert unsent.size_bytes == len(framed(b"one"))


def test_nothing_is_left_after_clearing() -> None:
    """A connection that has ended sends nothing."""
    ours, theirs = memory_transport_pair()
    unsent = Unsent()
    unsent.add(*response(b"one", LARGE))

    unsent.clear()
    unsent.send(ours)

    assert not unsent.size_bytes
    assert not theirs.incoming
