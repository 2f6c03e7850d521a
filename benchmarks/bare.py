"""A bare server in Python on epoll: the least that a broker in Python on sockets can cost.

It waits as the broker does (`broker.steps.busy_poll`), decodes nothing and stores nothing. A frame
whose first byte is PARK gets no response until a frame with WAKE arrives; that one is sent to all
parked connections and back to its sender. Other frames are sent back.
"""

from __future__ import annotations

import select
import socket
import time

from benchmarks.own_server import OwnServer
from broker.steps.busy_poll import BusyPoll
from broker.steps.cores import usable_cores

PARK, WAKE, ECHO = b"P", b"W", b"E"
ENDLESS_S = 3600.0
_READ_BYTES = 1 << 16
_MOST = 1024


class Bare(OwnServer):
    """The server in a process of its own."""

    def __init__(self) -> None:
        super().__init__("benchmarks.bare")


def busy_poll(poll: select.epoll) -> BusyPoll:
    """What waits for the descriptors of *poll*."""
    return BusyPoll(poll.poll, _MOST, time.perf_counter, has_cores=usable_cores() > 1)


def _serve() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN)
    connections: dict[int, socket.socket] = {}
    parked: list[socket.socket] = []
    waits = busy_poll(poll)
    while True:
        for number, _ in waits.wait(ENDLESS_S):
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
