"""A client that sends as many small produce requests as the broker responds to, until it is killed.

`python -m benchmarks.flood ADDRESS TOPIC` prints a line after the first responses.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Self

from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce

IN_FLIGHT = 64


class Flood:
    """A flood from a process of its own while the block runs."""

    def __init__(self, address: str, topic: str) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="antechamber-flood-"))
        command = [sys.executable, "-m", "benchmarks.flood", address, topic]
        self._process = ServerProcess(command, self._directory)

    def __enter__(self) -> Self:
        eventually(lambda: self._process.stdout().endswith("\n"), "the first responses")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        shutil.rmtree(self._directory, ignore_errors=True)


def _send_forever(address: str, topic: str) -> None:
    frame = produce(topic, 0, batch([bytes(100)]))
    with Connection(address) as connection:
        response = 4 + len(connection.request(frame))
        print("flooding", flush=True)
        connection.send(frame * IN_FLIGHT)
        received = 0
        while True:
            received += len(connection.socket.recv(1 << 16))
            completed, received = divmod(received, response)
            connection.send(frame * completed)


if __name__ == "__main__":
    _send_forever(*sys.argv[1:])
