"""A bare server in Python on epoll: the least that a broker in Python on sockets can cost.

It decodes nothing and stores nothing. A frame whose first byte is PARK gets no response until a
frame with WAKE arrives; that one is sent to all parked connections and back to its sender. Other
frames are sent back.
"""

from __future__ import annotations

import select
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import Self

from benchmarks.processor_time import processor_seconds
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess

PARK, WAKE, ECHO = b"P", b"W", b"E"
_READ_BYTES = 1 << 16


class Bare:
    """The server in a process of its own."""

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="antechamber-bare-"))
        self._process = ServerProcess([sys.executable, "-m", "benchmarks.bare"], self._directory)
        eventually(lambda: self._process.stdout().endswith("\n"), "the address of the server")
        self.bootstrap = self._process.stdout().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    def cpu_seconds(self) -> float:
        """The processor time used so far."""
        return processor_seconds(self._process.pid)


def _serve() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN)
    connections: dict[int, socket.socket] = {}
    parked: list[socket.socket] = []
    while True:
        for number, _ in poll.poll():
            if number == listener.fileno():
                accepted, _ = listener.accept()
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connections[accepted.fileno()] = accepted
                poll.register(accepted, select.EPOLLIN)
                continue
            connection = connections[number]
            data = connection.recv(_READ_BYTES)
            if not data:
                connections.pop(number).close()
            elif data[:1] == PARK:
                parked.append(connection)
            else:
                if data[:1] == WAKE:
                    for each in parked:
                        each.send(data)
                    parked.clear()
                connection.send(data)


if __name__ == "__main__":
    _serve()
