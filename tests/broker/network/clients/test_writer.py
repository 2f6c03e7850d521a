"""The sending side of a connection, without the receiving side."""

from __future__ import annotations

import random

import pytest

from broker.config.broker_config import Config
from broker.network.clients.writer import PIECE_BYTES, SENT_AT_ONCE_BYTES, Writer, WriterState
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.network.transports.transport import Disconnected
from protocol.frame_length import begin_frame
from protocol.output import SPLICE_BYTES_MIN, Output, SendFile, Splice

LARGE = bytes(range(256)) * (SPLICE_BYTES_MIN // 256)


def response(text: bytes, records: Splice = b"") -> Output:
    """An encoded response; its length is written when it is added."""
    out = Output()
    begin_frame(out)
    out += text
    out.splice(records)
    return out


def framed(*parts: bytes) -> bytes:
    """The same response as it is sent."""
    data = b"".join(parts)
    return len(data).to_bytes(4, "big") + data


def test_a_response_that_fits_is_sent_at_once() -> None:
    """Then it is reported as sent."""
    ours, theirs = memory_transport_pair()
    writer, sent = Writer(ours), list[str]()
    writer.add(response(b"one"))
    writer.when_sent(lambda: sent.append("one"))
    assert sent == []

    assert not writer.flush()

    assert theirs.incoming == framed(b"one")
    assert sent == ["one"]
    assert writer.state is WriterState.IDLE


def test_the_rest_is_sent_when_the_socket_has_room() -> None:
    """Responses are reported when all that was queued before them is sent."""
    ours, theirs = memory_transport_pair(room=60)
    writer, sent = Writer(ours), list[str]()
    for name in ("one", "two"):
        writer.add(response(bytes(96)))
        writer.when_sent(lambda name=name: sent.append(name))  # type: ignore[misc]  # of the loop

    flushes, received = 0, 0
    while writer.flush():
        assert writer.state is WriterState.DRAINING
        assert sent == []
        flushes += 1
        received += len(theirs.incoming)
        theirs.incoming.clear()

    assert (flushes, received + len(theirs.incoming)) == (3, 200)
    assert sent == ["one", "two"]
    assert writer.state is WriterState.IDLE


def test_a_request_without_a_response_is_reported_with_the_next_flush() -> None:
    """For acks=0 nothing is sent."""
    ours, theirs = memory_transport_pair()
    writer, sent = Writer(ours), list[str]()
    writer.when_sent(lambda: sent.append("one"))

    writer.flush()

    assert sent == ["one"]
    assert not theirs.incoming


@pytest.mark.parametrize("room", [1, 3, 1000, 1 << 20])
def test_responses_are_sent_in_order_with_any_socket_buffer(room: int) -> None:
    """Each flush sends some bytes; together they are all bytes, in order."""
    ours, theirs = memory_transport_pair(room)
    writer, received = Writer(ours), bytearray()
    writer.add(response(b"one"))
    writer.add(response(b"two", LARGE))
    writer.add(response(b"three"))

    while writer.unsent_bytes:
        before = writer.unsent_bytes
        writer.flush()
        assert before - writer.unsent_bytes == len(theirs.incoming)
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

    def send(self, _send_file: SendFile, _start: int, _size: int) -> int | None:
        """They are in no file."""
        return None


class RecordsInFile(Records):
    """Deferred bytes in a file, whose descriptor is 7, from the position 1,000 on."""

    def read(self, start: int, size: int) -> bytes:
        raise AssertionError("they are sent without being read")

    def send(self, send_file: SendFile, start: int, size: int) -> int | None:
        assert 0 < size <= len(self) - start
        return send_file(7, 1000 + start, size)


def sent_without_holding(writer: Writer, theirs: MemoryTransport) -> bytes:
    """Flush until all is sent; the writer never holds deferred records in memory."""
    received = bytearray()
    while writer.unsent_bytes:
        assert writer.held_bytes < 100
        writer.flush()
        received += theirs.incoming
        theirs.incoming.clear()
    return bytes(received)


@pytest.mark.parametrize("room", [777, 100_000, 1 << 20])
def test_deferred_records_are_read_piece_by_piece(room: int) -> None:
    """They are sent in order, and at most one piece is in memory."""
    ours, theirs = memory_transport_pair(room)
    data = random.Random(1).randbytes(3 * PIECE_BYTES + 5)
    writer = Writer(ours)
    writer.add(response(b"one"))
    writer.add(response(b"two", Records(data)))
    writer.add(response(b"three", Records(data[:100])))

    sent = framed(b"one") + framed(b"two", data) + framed(b"three", data[:100])
    assert sent_without_holding(writer, theirs) == sent


@pytest.mark.parametrize("room", [777, 100_000, 1 << 20])
def test_records_in_a_file_are_sent_from_it(room: int) -> None:
    """In order, between other parts, and beside records that have to be read."""
    ours, theirs = memory_transport_pair(room)
    data = random.Random(1).randbytes(3 * PIECE_BYTES + 5)

    def send_file(descriptor: int, position: int, size: int) -> int:
        assert descriptor == 7
        return ours.send([data[position - 1000 : position - 1000 + size]])

    ours.send_file = send_file
    writer = Writer(ours)
    writer.add(response(b"one", RecordsInFile(data)))
    writer.add(response(b"two", Records(data)))
    writer.add(response(b"three", RecordsInFile(data[:100])))

    sent = framed(b"one", data) + framed(b"two", data) + framed(b"three", data[:100])
    assert sent_without_holding(writer, theirs) == sent


def test_a_fast_client_is_sent_a_limited_size_of_a_file_at_once() -> None:
    """Other connections are served then."""
    ours, theirs = memory_transport_pair(room=1 << 30)
    ours.send_file = lambda _descriptor, _position, size: ours.send([bytes(size)])
    writer = Writer(ours)
    writer.add(response(b"one", RecordsInFile(bytes(2 * SENT_AT_ONCE_BYTES))))

    assert writer.flush()

    assert 0 <= len(theirs.incoming) - SENT_AT_ONCE_BYTES < PIECE_BYTES


def test_no_piece_is_read_for_a_full_socket() -> None:
    """A socket that takes a part of a piece is full."""
    ours, _ = memory_transport_pair(room=1000)
    writer, records = Writer(ours), Records(bytes(3 * PIECE_BYTES))
    writer.add(response(b"one", records))

    writer.flush()

    assert records.read_bytes == PIECE_BYTES


def test_a_fast_client_is_sent_a_limited_size_at_once() -> None:
    """Other connections are served then."""
    ours, theirs = memory_transport_pair(room=1 << 30)
    writer = Writer(ours)
    writer.add(response(b"one", Records(bytes(2 * SENT_AT_ONCE_BYTES))))

    assert writer.flush()

    assert 0 <= len(theirs.incoming) - SENT_AT_ONCE_BYTES < PIECE_BYTES


def test_responses_remain_if_the_socket_is_full() -> None:
    """Flushing returns without waiting."""
    ours, _ = memory_transport_pair(room=0)
    writer = Writer(ours)
    writer.add(response(b"one"))

    assert writer.flush()

    assert writer.unsent_bytes == len(framed(b"one"))


def test_a_closed_peer_is_a_disconnect() -> None:
    """The connection closes the writer then."""
    ours, theirs = memory_transport_pair()
    writer = Writer(ours)
    writer.add(response(b"one"))
    theirs.close()

    with pytest.raises(Disconnected):
        writer.flush()


def test_a_closed_writer_drops_what_is_unsent() -> None:
    """The responses are reported, since nothing more happens to them."""
    ours, theirs = memory_transport_pair(room=60)
    writer, sent = Writer(ours), list[str]()
    writer.add(response(bytes(96)))
    writer.when_sent(lambda: sent.append("one"))
    writer.flush()

    writer.close()

    assert sent == ["one"]
    assert (writer.unsent_bytes, writer.held_bytes) == (0, 0)
    assert writer.state is WriterState.CLOSED
    assert len(theirs.incoming) == 60


def test_a_piece_fits_into_the_send_buffer() -> None:
    """With the default sizes a socket takes a whole piece: nothing is read from the log twice."""
    assert Config().socket_send_buffer_bytes >= PIECE_BYTES
