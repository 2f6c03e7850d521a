"""The receiving side of a connection, without the sending side."""

from __future__ import annotations

import struct
import tracemalloc

import pytest

from broker.network.clients.kept_buffer import KEPT_MS
from broker.network.clients.reader import PIPELINE_BYTES_MAX, Reader, ReaderState
from broker.network.serving.memory_pool import MemoryPool
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from protocol.codec import Malformed
from protocol.framing import Scratch
from tests.broker.quotas.timers import ManualTimer

FRAME_BYTES_MAX = 2 * PIPELINE_BYTES_MAX


def framed(data: bytes) -> bytes:
    """A frame with its length."""
    return struct.pack(">i", len(data)) + data


class Ends:
    """A reader, the client's end of its transport, and its time."""

    def __init__(self, memory: MemoryPool | None = None, scratch: Scratch | None = None) -> None:
        self.client: MemoryTransport
        self.client, transport = memory_transport_pair(room=2 * FRAME_BYTES_MAX)
        self.hand = ManualTimer()
        self.reader = Reader(
            transport, self.hand.timer, scratch or Scratch(), FRAME_BYTES_MAX, memory
        )

    def receive(self, data: bytes) -> None:
        """Send *data* and receive all of it, as a connection does while it may not serve."""
        self.client.send([data])
        while self.client.other.incoming:
            self.reader.receive()
            self.reader.settle()

    def next_frame(self) -> tuple[bytes, float] | None:
        """The next frame, copied, and its arrival time."""
        received = self.reader.next_frame()
        return None if received is None else (bytes(received[0]), received[1])


def test_frames_have_the_arrival_times_of_their_last_bytes() -> None:
    """However the bytes are divided."""
    ends = Ends()
    ends.receive(framed(b"one") + framed(b"two")[:5])
    ends.hand.pass_ms(7)
    ends.receive(framed(b"two")[5:])

    assert ends.next_frame() == (b"one", 0.0)
    assert ends.next_frame() == (b"two", 7.0)
    assert ends.next_frame() is None
    assert ends.reader.received_ms == 7.0


def test_the_pieces_of_an_incomplete_frame_need_only_the_memory_of_their_bytes() -> None:
    """A client may send one byte per packet; only the time of the last one is needed."""
    ends, frame = Ends(), framed(bytes(5000))
    tracemalloc.start()
    for number in range(len(frame)):
        ends.hand.pass_ms(1)
        ends.receive(frame[number : number + 1])
    used_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert used_bytes - ends.reader.held_bytes < 2 * len(frame)
    assert ends.next_frame() == (frame[4:], float(len(frame)))


def test_receiving_does_not_wait() -> None:
    """A transport may be readable without bytes to receive."""
    ends = Ends()
    ends.hand.pass_ms(7)

    assert ends.reader.receive()

    assert ends.reader.state is ReaderState.RECEIVING
    assert ends.reader.received_ms == 7.0
    assert ends.next_frame() is None


def test_frames_remain_when_the_client_sends_no_more() -> None:
    """The client may still receive responses to them."""
    ends = Ends()
    ends.receive(framed(b"one"))
    ends.client.end()

    assert not ends.reader.receive()

    assert ends.reader.state is ReaderState.ENDED
    assert ends.next_frame() == (b"one", 0.0)


def test_a_frame_that_is_too_large_is_malformed() -> None:
    """Its length alone is enough."""
    ends = Ends()
    ends.receive(struct.pack(">i", FRAME_BYTES_MAX + 1))

    with pytest.raises(Malformed):
        ends.reader.next_frame()


def test_a_reader_is_full_when_too_much_is_pending() -> None:
    """Until frames are taken."""
    ends = Ends()
    ends.receive(framed(bytes(PIPELINE_BYTES_MAX // 2)))
    assert not ends.reader.is_full
    ends.receive(framed(bytes(PIPELINE_BYTES_MAX // 2)))
    assert ends.reader.is_full

    ends.next_frame()

    assert not ends.reader.is_full


def test_the_whole_size_of_an_incomplete_frame_is_reserved() -> None:
    """It is released when the frame has been taken."""
    memory = MemoryPool(1000)
    ends = Ends(memory)
    frame = framed(bytes(600))
    ends.receive(frame[:10])
    assert memory.available_bytes == 1000 - len(frame)

    ends.receive(frame[10:])
    ends.next_frame()
    ends.reader.settle()

    assert memory.available_bytes == 1000


def test_without_a_reservation_nothing_is_received_while_the_pool_is_exhausted() -> None:
    """A reader that has begun a request may receive the rest."""
    memory = MemoryPool(100)
    begun, other = Ends(memory), Ends(memory)
    assert not other.reader.lacks_memory

    begun.receive(framed(bytes(200))[:10])

    assert other.reader.lacks_memory
    assert not begun.reader.lacks_memory


def test_a_kept_frame_is_reserved_until_it_is_released() -> None:
    """A worker thread may read it until the response."""
    memory = MemoryPool(1 << 20)
    ends = Ends(memory, Scratch(64))
    ends.receive(framed(bytes(1000)))
    assert ends.next_frame() is not None

    assert ends.reader.keep_frame(1000)
    ends.reader.settle()
    kept_bytes = ends.reader.held_bytes, (1 << 20) - memory.available_bytes
    ends.reader.release_frame()

    assert kept_bytes == (1000, 1000)
    assert ends.reader.held_bytes == 0
    assert memory.available_bytes == 1 << 20


def test_an_idle_connection_keeps_a_large_buffer_for_a_while() -> None:
    """Frames that follow soon are received into it, and the time begins again with each."""
    ends = Ends()
    for _ in range(2):
        ends.receive(framed(bytes(1 << 20)))
        assert ends.next_frame() is not None
        ends.reader.settle()
        ends.hand.pass_ms(KEPT_MS - 1)
        assert ends.reader.held_bytes > 1 << 20

    ends.hand.pass_ms(1)

    assert ends.reader.held_bytes == 0
    assert not ends.hand.timer.size


def test_an_incomplete_frame_keeps_its_buffer() -> None:
    """The buffer is released a while after the frame."""
    ends = Ends()
    frame = framed(bytes(1 << 20))
    ends.receive(frame)
    assert ends.next_frame() is not None
    ends.receive(frame[:500_000])
    ends.hand.pass_ms(2 * KEPT_MS)
    ends.receive(frame[500_000:])

    assert ends.next_frame() == (bytes(1 << 20), 2.0 * KEPT_MS)
    ends.reader.settle()
    ends.hand.pass_ms(KEPT_MS)
    assert ends.reader.held_bytes == 0


def test_a_closed_connection_needs_no_time() -> None:
    """Its buffer is released at once."""
    ends = Ends()
    ends.receive(framed(bytes(1 << 20)))
    assert ends.next_frame() is not None
    ends.reader.settle()

    ends.reader.close()

    assert ends.reader.held_bytes == 0
    assert not ends.hand.timer.size


def test_a_frame_in_the_shared_buffer_must_be_copied() -> None:
    """Other connections receive into that buffer."""
    ends = Ends()
    ends.client.send([framed(b"one")])
    ends.reader.receive()
    assert ends.next_frame() is not None

    assert not ends.reader.keep_frame(3)


def test_a_closed_reader_holds_nothing() -> None:
    """Neither memory nor a reservation."""
    memory = MemoryPool(1000)
    ends = Ends(memory)
    ends.receive(framed(bytes(600))[:10])

    ends.reader.close()

    assert ends.reader.state is ReaderState.CLOSED
    assert ends.reader.held_bytes == 0
    assert memory.available_bytes == 1000
