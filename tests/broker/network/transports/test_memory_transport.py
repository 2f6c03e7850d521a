"""Streams in memory: between the nodes of a process, and in tests."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.network.transports.transport import Awaits, Disconnected

DATA = bytes(range(250)) * 40

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="parts of files are read first")


class Recording:
    """A user of a transport, with what it was called with."""

    def __init__(self) -> None:
        self.reported: list[tuple[bool, bool]] = []

    def ready(self, readable: bool, writable: bool) -> None:
        self.reported.append((readable, writable))

    def take(self) -> list[tuple[bool, bool]]:
        """The reports since the last call."""
        reported, self.reported = self.reported, []
        return reported


@pytest.fixture
def file(tmp_path: Path) -> Iterator[int]:
    """A file with `DATA`."""
    path = tmp_path / "records"
    path.write_bytes(DATA)
    descriptor = os.open(path, os.O_RDWR)
    yield descriptor
    os.close(descriptor)


def received(transport: MemoryTransport, size: int = 1 << 20) -> bytes:
    """What the next receive with a buffer of *size* returns."""
    buffer = memoryview(bytearray(size))
    return bytes(buffer[: transport.receive_into(buffer)])


# ----------------------------------------------------------------------------------- readiness


def test_bytes_are_reported_at_once() -> None:
    """Once, and `awaits` shows that they are still there."""
    here, there = memory_transport_pair()
    user = Recording()
    there.watch(user)

    here.send([b"one", b"two"])

    assert user.take() == [(True, False)]
    assert there.awaits is Awaits.NOTHING
    assert received(there) == b"onetwo"
    assert (user.take(), there.awaits) == ([], Awaits.BYTES)


def test_bytes_that_have_arrived_before_are_reported() -> None:
    """When the user begins to wait."""
    here, there = memory_transport_pair()
    here.send([b"one"])
    user = Recording()

    there.watch(user)

    assert user.take() == [(True, False)]


def test_room_is_reported_to_a_user_that_waits_for_it() -> None:
    """When the other end has received, and at once if there is room."""
    here, there = memory_transport_pair(room=4)
    user = Recording()
    watch = here.watch(user)
    assert here.send([b"123", b"456"]) == 4
    received(there, 1)
    assert user.take() == []

    watch.update(reads=True, writes=True)
    assert user.take() == [(False, True)]
    assert here.send([b"5"]) == 1
    received(there)

    assert user.take() == [(False, True)]


def test_a_user_that_is_muted_or_gone_is_not_called() -> None:
    """A watch ends before the transport is closed."""
    here, there = memory_transport_pair()
    user = Recording()
    watch = there.watch(user)

    watch.update(reads=False, writes=False)
    here.send([b"one"])
    watch.update(reads=True, writes=False)
    watch.end()
    here.close()

    assert user.take() == []


def test_the_end_of_the_other_end_is_reported() -> None:
    """What was sent before is received first."""
    here, there = memory_transport_pair()
    user = Recording()
    there.watch(user)
    here.send([b"one"])
    user.take()

    here.close()

    assert user.take() == [(True, False)]
    assert [received(there), received(there)] == [b"one", b""]
    with pytest.raises(Disconnected):
        there.send([b"two"])


# --------------------------------------------------------------------------------------- files


@on_linux
def test_parts_of_files_are_received_between_bytes(file: int) -> None:
    """In one piece, if the buffer has room for all of it."""
    here, there = memory_transport_pair(sends_files=True)
    here.send([b"head"])
    assert here.send_from_file(file, 100, 1000) == 1000
    here.send([b"tail"])
    here.send([b"end"])

    assert received(there) == b"head" + DATA[100:1100] + b"tailend"


@on_linux
@pytest.mark.parametrize("size", [1, 7, 500, 1004, 2000])
def test_parts_of_files_are_received_in_pieces(file: int, size: int) -> None:
    """However small the buffer is."""
    here, there = memory_transport_pair(sends_files=True)
    here.send([b"head"])
    here.send_from_file(file, 0, 1000)
    here.send([b"tail"])
    here.close()

    pieces = list(iter(lambda: received(there, size), b""))

    assert b"".join(pieces) == b"head" + DATA[:1000] + b"tail"


@on_linux
def test_parts_of_files_take_room(file: int) -> None:
    """As much as fits is sent."""
    here, there = memory_transport_pair(room=1000, sends_files=True)
    here.send([bytes(300)])

    assert here.send_from_file(file, 0, 5000) == 700
    assert here.send_from_file(file, 700, 4300) == 0
    assert here.send([b"one"]) == 0
    received(there)
    assert here.send_from_file(file, 700, 4300) == 1000


@on_linux
def test_a_sender_may_close_its_file(file: int) -> None:
    """The part has a descriptor of its own until it has been received."""
    here, there = memory_transport_pair(sends_files=True)
    copy = os.dup(file)
    here.send_from_file(copy, 0, 100)
    os.close(copy)

    assert received(there) == DATA[:100]


@on_linux
def test_without_a_descriptor_the_sender_reads(file: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process may have too many open files."""

    def refuse(_descriptor: int) -> int:
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(os, "dup", refuse)
    here, there = memory_transport_pair(sends_files=True)

    assert here.send_from_file(file, 0, 100) is None
    assert there.awaits is Awaits.BYTES


@on_linux
def test_a_file_that_is_truncated_ends_the_connection(file: int) -> None:
    """The bytes that were sent no longer exist."""
    here, there = memory_transport_pair(sends_files=True)
    here.send_from_file(file, 5000, 100)
    os.ftruncate(file, 1000)

    with pytest.raises(Disconnected, match="truncated"):
        received(there)


@on_linux
def test_a_closed_end_has_no_open_files(file: int) -> None:
    """The parts that were not received are dropped."""
    before = len(os.listdir("/proc/self/fd"))
    here, there = memory_transport_pair(sends_files=True)
    here.send_from_file(file, 0, 100)
    assert len(os.listdir("/proc/self/fd")) == before + 1

    there.close()

    assert len(os.listdir("/proc/self/fd")) == before
    with pytest.raises(Disconnected):
        here.send_from_file(file, 0, 100)
