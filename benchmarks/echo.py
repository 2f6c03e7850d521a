"""An echo server on trio: the minimal cost of a server on trio."""

from __future__ import annotations

import sys
from functools import partial

import trio

from benchmarks.own_server import OwnServer

_READ_BYTES = 1 << 16


class Echo(OwnServer):
    """The server in a process of its own."""

    def __init__(self) -> None:
        super().__init__("benchmarks.echo")


async def _send_back(stream: trio.SocketStream) -> None:
    connected = stream.socket
    while data := await connected.recv(_READ_BYTES):
        await connected.send(data)


async def _serve() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=1024)
    port = listeners[0].socket.getsockname()[1]
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(trio.serve_listeners, _send_back, listeners))
        sys.stdout.write(f"127.0.0.1:{port}\n")
        sys.stdout.flush()
        await trio.sleep_forever()


if __name__ == "__main__":
    trio.run(_serve)
