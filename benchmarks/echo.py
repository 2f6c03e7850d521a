"""An echo server on trio: the minimal cost of a server on trio."""

from __future__ import annotations

import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Self

import trio

from benchmarks.processor_time import processor_seconds
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess

_READ_BYTES = 1 << 16


class Echo:
    """An echo server in a process of its own."""

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="antechamber-echo-"))
        self._process = ServerProcess([sys.executable, "-m", "benchmarks.echo"], self._directory)
        eventually(lambda: self._process.stdout().endswith("\n"), "the echo's address")
        self.bootstrap = self._process.stdout().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    def cpu_seconds(self) -> float:
        """The processor time used so far."""
        return processor_seconds(self._process.pid)


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
