"""A bare server in Python that sends parts of a file: the least that a raw fetch can cost.

It decodes nothing. Each frame asks for the next megabyte of the file. Its first byte says how it is
sent: by `os.sendfile`, as the broker does on Linux, or by reading a piece and sending it. It polls
its socket without sleeping, because a process that has to be woken continues later: a server that
blocked in `os.sendfile` passed half as many bytes as the broker, which polls.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from benchmarks.own_server import OwnServer
from broker.network.clients.writer import PIECE_BYTES

COPIED, BY_SENDFILE = b"C", b"S"
REQUEST_BYTES = 100
RESPONSE_BYTES = 1 << 20
_FILE_BYTES = 150 << 20
_SEND_BUFFER_BYTES = 262_144  # as the broker's default

Result = TypeVar("Result")


class BareFetch(OwnServer):
    """The server in a process of its own."""

    def __init__(self) -> None:
        super().__init__("benchmarks.bare_fetch")


def _serve() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    with tempfile.TemporaryFile() as file:
        for _ in range(_FILE_BYTES // RESPONSE_BYTES):
            file.write(bytes(RESPONSE_BYTES))
        file.flush()
        print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
        while True:
            accepted, _ = listener.accept()
            with accepted:
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
                accepted.setblocking(False)
                _respond(accepted, file.fileno())


def _respond(connection: socket.socket, file: int) -> None:
    """Respond to each frame until the client disconnects."""
    position = 0
    while request := _polled(partial(connection.recv, REQUEST_BYTES)):
        send = _by_sendfile if request[:1] == BY_SENDFILE else _copied
        send(connection, file, position)
        position = (position + RESPONSE_BYTES) % _FILE_BYTES


def _copied(connection: socket.socket, file: int, position: int) -> None:
    for start in range(position, position + RESPONSE_BYTES, PIECE_BYTES):
        piece = memoryview(os.pread(file, PIECE_BYTES, start))
        while piece:
            piece = piece[_polled(partial(connection.send, piece)) :]


def _by_sendfile(connection: socket.socket, file: int, position: int) -> None:
    end, out = position + RESPONSE_BYTES, connection.fileno()
    while position < end:
        position += _polled(partial(os.sendfile, out, file, position, end - position))


def _polled(call: Callable[[], Result]) -> Result:
    """The result of a call that does not block, repeated until it has one."""
    while True:
        try:
            return call()
        except BlockingIOError:
            os.sched_yield()


if __name__ == "__main__":
    _serve()
