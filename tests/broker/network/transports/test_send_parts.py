"""Several parts are sent, with one system call where there is one."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from broker.network.transports import send_parts
from tests.foreign_system import as_on

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Two connected sockets."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_all_parts_are_sent_at_once(pair: Pair) -> None:
    """Up to a number that every system accepts."""
    ours, theirs = pair
    parts = [b"x"] * (send_parts.PARTS_MAX + 1)

    assert send_parts.send_parts(ours, [b"head", memoryview(b"records")]) == 11
    assert theirs.recv(100) == b"headrecords"
    assert send_parts.send_parts(ours, parts) == send_parts.PARTS_MAX


def test_windows_sends_the_first_part(pair: Pair) -> None:
    """The caller continues with the rest, as after every send that takes a part."""
    ours, theirs = pair
    windows = as_on("win32", send_parts.__name__)

    assert windows.send_parts(ours, [b"head", b"records"]) == 4
    assert theirs.recv(100) == b"head"
