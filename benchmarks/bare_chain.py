"""A bare leader with two followers in Python on epoll: the least that a replicated produce costs.

All three are in one process and pass frames in memory, as the nodes of a cluster. The leader writes
a frame to a file, and each follower a copy to a file of its own. Then the leader responds to the
frame, and to those that begin with PARK, which wait for this. Nothing is decoded.
"""

from __future__ import annotations

import os
import select
import socket
import tempfile
from collections.abc import Callable
from contextlib import ExitStack

from benchmarks.bare import ENDLESS_S, PARK, busy_poll
from benchmarks.own_server import OwnServer

FOLLOWERS = 2
LENGTH_BYTES = 4
RESPONSE_BYTES = 60  # as the response to a produce
_READ_BYTES = 1 << 17

OnFrame = Callable[[bytes], None]


class BareChain(OwnServer):
    """The server in a process of its own."""

    def __init__(self) -> None:
        super().__init__("benchmarks.bare_chain")


class _Connection:
    """A connection whose frames *on_frame* gets one after the other."""

    def __init__(self, connected: socket.socket, on_frame: OnFrame) -> None:
        self.socket = connected
        self._on_frame = on_frame
        self._received = bytearray()
        self._is_served = False  # whether the response to a frame is still to be sent

    def receive(self) -> bool:
        """Receive, and serve the next frame; False if the peer has disconnected."""
        data = self.socket.recv(_READ_BYTES)
        self._received += data
        self._serve_next()
        return bool(data)

    def respond(self, response: bytes) -> None:
        """Send the response to the last frame, and serve the next one."""
        self.socket.sendall(response)
        self._is_served = False
        self._serve_next()

    def _serve_next(self) -> None:
        size = LENGTH_BYTES + int.from_bytes(self._received[:LENGTH_BYTES], "big")
        if self._is_served or not LENGTH_BYTES < size <= len(self._received):
            return
        frame = bytes(self._received[:size])
        del self._received[:size]
        self._is_served = True
        self._on_frame(frame)


def frame_of(size: int, begin: bytes = b"") -> bytes:
    """A frame of *size* bytes, whose content begins with *begin*."""
    length = size - LENGTH_BYTES
    return length.to_bytes(LENGTH_BYTES, "big") + begin.ljust(length, b"\0")


class _Chain:
    """The three nodes; *files* are the descriptors of their logs."""

    def __init__(self, files: list[int]) -> None:
        self.poll = select.epoll()
        self.connections: dict[int, _Connection] = {}
        self._parked: list[_Connection] = []
        self._files = files

    def add(self, connected: socket.socket, on_frame: OnFrame) -> _Connection:
        """Serve a connection."""
        made = self.connections[connected.fileno()] = _Connection(connected, on_frame)
        self.poll.register(connected, select.EPOLLIN)
        return made

    def accept(self, listener: socket.socket) -> None:
        """Serve a client; one of them produces."""
        accepted, _ = listener.accept()
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = self.add(accepted, lambda frame: self._requested(client, frame))

    def _requested(self, client: _Connection, frame: bytes) -> None:
        if frame.startswith(PARK, LENGTH_BYTES):
            self._parked.append(client)
            return
        os.write(self._files[0], frame)
        for follower in self._files[1:]:
            os.write(follower, bytearray(frame))
        parked, self._parked = self._parked, []
        for each in (*parked, client):
            each.respond(frame_of(RESPONSE_BYTES))


def _serve() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(1 + FOLLOWERS)]
        chain = _Chain([file.fileno() for file in files])
        chain.poll.register(listener, select.EPOLLIN)
        waits = busy_poll(chain.poll)
        while True:
            for number, _ in waits.wait(ENDLESS_S):
                if number == listener.fileno():
                    chain.accept(listener)
                elif not chain.connections[number].receive():
                    chain.connections.pop(number).socket.close()


if __name__ == "__main__":
    _serve()
