"""Records the frames of real clients: each library is used briefly through a relay."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

CLIENTS = Path(__file__).parents[1] / "clients" / "scripts"
_LENGTH = struct.Struct(">i")
_CLIENT_WITHIN_SECONDS = 60


class Relay:
    """Accepts connections at ``port``, forwards them, and keeps the requests."""

    def __init__(self, port: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        self._streams: list[bytearray] = []
        self._target = 0

    def forward_to(self, port: int) -> None:
        """Forward to *port* of loopback from now on."""
        self._target = port
        threading.Thread(target=self._accept, daemon=True).start()

    def frames(self) -> list[bytes]:
        """Return the requests so far, each with its length."""
        return [frame for stream in self._streams for frame in split(bytes(stream))]

    def close(self) -> None:
        """Accept no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                broker = socket.create_connection(("127.0.0.1", self._target))
                stream = bytearray()
                self._streams.append(stream)
                for source, sink, keep in (
                    (client, broker, stream.extend),
                    (broker, client, _ignore),
                ):
                    threading.Thread(target=_pump, args=(source, sink, keep), daemon=True).start()


def split(stream: bytes) -> list[bytes]:
    """The complete frames of a stream."""
    frames, at = [], 0
    while at + _LENGTH.size <= len(stream):
        end = at + _LENGTH.size + _LENGTH.unpack_from(stream, at)[0]
        if end > len(stream):
            break
        frames.append(stream[at:end])
        at = end
    return frames


def let_clients_work(bootstrap: str) -> None:
    """Run each library's script of `integration.clients` once."""
    for program in sorted(CLIENTS.glob("use_*.py")):
        command = [sys.executable, str(program), bootstrap, program.stem, f"{program.stem}-group"]
        subprocess.run(command, check=True, capture_output=True, timeout=_CLIENT_WITHIN_SECONDS)


def _pump(source: socket.socket, sink: socket.socket, keep: Callable[[bytes], object]) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            keep(data)
            sink.sendall(data)
    for each in (source, sink):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


def _ignore(_data: bytes) -> None:
    """Keep nothing."""
