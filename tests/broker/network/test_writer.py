"""The sending side of a connection, without the receiving side."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from broker.network.transport import Disconnected
from broker.network.writer import Writer, WriterState
from protocol.output import Output
from tests.memory_transport import memory_transport_pair


def add(writer: Writer, size: int, on_sent: Callable[[], object] | None = None) -> None:
    """Add a response of *size* bytes, and call *on_sent* when it is sent."""
    out = Output()
    out.begin_frame()
    out += bytes(size - len(out))
    writer.unsent.add(out, 0)
    if on_sent is not None:
        writer.when_sent(on_sent)


def test_a_response_that_fits_is_sent_at_once() -> None:
    """Then it is reported as sent."""
    ours, theirs = memory_transport_pair()
    writer, sent = Writer(ours), list[str]()
    add(writer, 100, lambda: sent.append("one"))
    assert sent == []

    assert not writer.flush()

    assert len(theirs.incoming) == 100
    assert sent == ["one"]
    assert writer.state is WriterState.IDLE


def test_the_rest_is_sent_when_the_socket_has_room() -> None:
    """Responses are reported when all that was queued before them is sent."""
    ours, theirs = memory_transport_pair(room=60)
    writer, sent = Writer(ours), list[str]()
    add(writer, 100, lambda: sent.append("one"))
    add(writer, 100, lambda: sent.append("two"))

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


def test_a_closed_peer_is_a_disconnect() -> None:
    """The connection closes the writer then."""
    ours, theirs = memory_transport_pair()
    writer = Writer(ours)
    add(writer, 100)
    theirs.close()

    with pytest.raises(Disconnected):
        writer.flush()


def test_a_closed_writer_drops_what_is_unsent() -> None:
    """The responses are reported, since nothing more happens to them."""
    ours, theirs = memory_transport_pair(room=60)
    writer, sent = Writer(ours), list[str]()
    add(writer, 100, lambda: sent.append("one"))
    writer.flush()

    writer.close()

    assert sent == ["one"]
    assert writer.unsent.size_bytes == 0
    assert writer.state is WriterState.CLOSED
    assert len(theirs.incoming) == 60
