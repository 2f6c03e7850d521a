"""Tests of the splitting of a stream into frames."""

from __future__ import annotations

import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import Malformed
from protocol.framing import Inbox, Scratch

MAX = 1 << 20


def _inbox(scratch_bytes: int = 64 * 1024) -> Inbox:
    return Inbox(MAX, Scratch(scratch_bytes))


def _framed(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def _receive(inbox: Inbox, data: bytes) -> None:
    while data:
        space = inbox.space()
        count = min(len(space), len(data))
        space[:count] = data[:count]
        inbox.received(count)
        data = data[count:]


def _frames(inbox: Inbox) -> list[bytes]:
    frames = []
    while (frame := inbox.next_frame()) is not None:
        frames.append(bytes(frame))
    return frames


@given(
    bodies=st.lists(st.binary(max_size=300), max_size=30),
    large=st.integers(0, 50_000),
    cuts=st.lists(st.integers(1, 400), min_size=1),
    scratch=st.sampled_from((64, 1024, 64 * 1024)),
)
def test_frames_come_out_as_they_went_in(
    bodies: list[bytes], large: int, cuts: list[int], scratch: int
) -> None:
    """Every frame is returned, however the stream is split and however small the shared buffer."""
    bodies = [*bodies, bytes(large)]
    got: list[bytes] = []
    inbox = _inbox(scratch)
    stream = b"".join(_framed(body) for body in bodies)
    while stream:
        cut = min(cuts[len(got) % len(cuts)] + len(stream) // 50, len(inbox.space()))
        _receive(inbox, stream[:cut])
        stream = stream[cut:]
        got += _frames(inbox)
        inbox.settle()

    assert got == bodies
    assert inbox.pending_bytes == 0


def test_two_inboxes_share_a_buffer() -> None:
    """The pending bytes of one inbox are not overwritten by the other."""
    scratch = Scratch()
    one, other = Inbox(MAX, scratch), Inbox(MAX, scratch)
    whole = _framed(b"first")
    _receive(one, whole[:6])
    one.settle()

    _receive(other, _framed(b"second"))

    assert _frames(other) == [b"second"]
    _receive(one, whole[6:])
    assert _frames(one) == [b"first"]


def test_an_idle_inbox_holds_no_memory() -> None:
    """A thousand idle connections have no buffers."""
    scratch = Scratch()
    tracemalloc.start()
    inboxes = [Inbox(MAX, scratch) for _ in range(1000)]
    for inbox in inboxes:
        _receive(inbox, _framed(b"x" * 100))
        assert inbox.next_frame() is not None
        inbox.settle()

    current, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert current < 1000 * 300


def test_a_false_length_allocates_nothing() -> None:
    """A frame of a claimed megabyte that does not arrive allocates less than a megabyte."""
    inbox = _inbox()
    tracemalloc.start()
    _receive(inbox, struct.pack(">i", MAX) + b"x")
    inbox.settle()
    inbox.space()

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MAX / 2


def test_a_large_frame_is_moved_once_after_one_of_its_size() -> None:
    """The length of the second frame is believed, so its buffer has room for all of it."""
    inbox, frame = _inbox(), _framed(bytes(MAX - 100))
    _receive(inbox, frame)
    assert len(_frames(inbox)[0]) == MAX - 100
    assert inbox.hand_over()

    _receive(inbox, frame[:1000])
    inbox.settle()

    assert inbox.buffer_bytes == len(frame)


def test_the_end_of_a_large_frame_is_received_where_its_begin_is() -> None:
    """Many bytes are not moved for the room of a larger read."""
    inbox, frame = _inbox(), _framed(bytes(MAX - 100))
    _receive(inbox, frame)
    _frames(inbox)
    _receive(inbox, frame[:-10])
    inbox.settle()
    size = inbox.buffer_bytes

    assert len(inbox.space()) >= 10
    assert inbox.buffer_bytes == size


@pytest.mark.parametrize("size", [-1, -(2**31), MAX + 1, 2**31 - 1])
def test_an_impossible_length_is_malformed(size: int) -> None:
    """A length that is negative or exceeds socket.request.max.bytes raises Malformed."""
    inbox = _inbox()
    _receive(inbox, struct.pack(">i", size))

    assert inbox.has_frame()
    with pytest.raises(Malformed, match=str(size)):
        inbox.next_frame()


def test_a_frame_of_no_bytes_is_a_frame() -> None:
    """A frame of no bytes is returned; decoding its header detects that it is too short."""
    inbox = _inbox()
    _receive(inbox, _framed(b""))

    assert inbox.has_frame()
    assert _frames(inbox) == [b""]


def test_a_frame_that_is_held_survives_the_next_read_into_own_memory() -> None:
    """A frame that is still referenced is not changed by a later read into a new buffer."""
    inbox = _inbox(scratch_bytes=64)
    _receive(inbox, _framed(b"a" * 1000) + _framed(b"b" * 10))
    held = inbox.next_frame()

    _receive(inbox, _framed(b"c" * 100_000))

    assert held is not None
    assert bytes(held) == b"a" * 1000
    assert _frames(inbox) == [b"b" * 10, b"c" * 100_000]


def test_the_bytes_awaited_are_those_of_the_frame_under_way() -> None:
    """awaited_bytes is the size of the incomplete frame if known, or the pending bytes if more."""
    inbox = _inbox()
    awaited = [inbox.awaited_bytes]
    for part in (b"\0\0", b"\0\x64", b"x" * 50, b"x" * 150):
        _receive(inbox, part)
        awaited.append(inbox.awaited_bytes)

    assert awaited == [0, 4, 104, 104, 204]


def test_a_frame_in_the_shared_buffer_cannot_be_handed_over() -> None:
    """A frame in the shared buffer would be overwritten by the next connection that receives."""
    inbox = _inbox()
    _receive(inbox, _framed(b"a"))
    assert bytes(inbox.next_frame() or b"") == b"a"

    assert not inbox.hand_over()


def test_a_frame_in_memory_of_its_own_can_be_handed_over() -> None:
    """A frame that is handed over does not change later, and the frames after it are returned."""
    inbox = _inbox(1024)
    _receive(inbox, _framed(bytes(5000)) + _framed(b"second"))
    first = inbox.next_frame()
    assert first is not None

    assert inbox.hand_over()
    assert _frames(inbox) == [b"second"]
    _receive(inbox, _framed(b"x" * 9000))
    assert _frames(inbox) == [b"x" * 9000]
    assert first == bytes(5000)


def test_an_inbox_holds_no_memory_for_a_frame_that_it_has_handed_over() -> None:
    """An inbox that has handed over its frame receives into the shared buffer again."""
    scratch = Scratch(1024)
    inbox = Inbox(MAX, scratch)
    _receive(inbox, _framed(bytes(5000)))
    inbox.next_frame()

    assert inbox.hand_over()
    assert inbox.space() is scratch.view


def test_a_cleared_inbox_holds_nothing() -> None:
    """A cleared inbox drops pending bytes and its buffer; frames returned earlier do not change."""
    inbox = _inbox(1024)
    _receive(inbox, _framed(b"whole") + _framed(bytes(900_000))[:500_000])
    frame = inbox.next_frame()
    assert frame is not None

    inbox.clear()

    assert bytes(frame) == b"whole"
    assert inbox.pending_bytes == 0
    assert inbox.next_frame() is None
    assert len(inbox.space()) == 1024
