"""A blocking TCP connection for frames, and the primitive types in frames."""

from __future__ import annotations

import socket
import struct
from typing import Self

_LENGTH = struct.Struct(">i")


def address(bootstrap: str) -> tuple[str, int]:
    """Return host and port of the first bootstrap server."""
    host, _, port = bootstrap.split(",")[0].rpartition(":")
    return host, int(port)


class Connection:
    """A TCP connection that sends and receives frames."""

    def __init__(self, bootstrap: str, *, timeout: float = 60.0) -> None:
        self.socket = socket.create_connection(address(bootstrap), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._inbox = bytearray()

    def send(self, frame: bytes) -> None:
        """Send bytes unchanged."""
        self.socket.sendall(frame)

    def receive(self) -> bytes:
        """Receive one frame, without its length; raises EOFError when the connection is closed."""
        while len(self._inbox) < 4 or len(self._inbox) < 4 + self._length():
            got = self._more()
            if not got:
                raise EOFError("the broker closed the connection")
            self._inbox += got
        end = 4 + self._length()
        frame = bytes(self._inbox[4:end])
        del self._inbox[:end]
        return frame

    def request(self, frame: bytes) -> bytes:
        """Send a request and receive its response."""
        self.send(frame)
        return self.receive()

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _more(self) -> bytes:
        return self.socket.recv(1 << 20)

    def _length(self) -> int:
        length: int = _LENGTH.unpack_from(self._inbox)[0]
        return length


class Reader:
    """Reads Kafka's primitive types from a response, in order."""

    def __init__(self, frame: bytes) -> None:
        self.frame = frame
        self.position = 0

    def take(self, layout: str) -> tuple[int, ...]:
        """Read fixed-size fields, big-endian."""
        values = struct.unpack_from(">" + layout, self.frame, self.position)
        self.position += struct.calcsize(">" + layout)
        return values

    def number(self, layout: str) -> int:
        """Read one fixed-size field."""
        return self.take(layout)[0]

    def string(self) -> str | None:
        """Read a nullable string."""
        length = self.number("h")
        return None if length < 0 else self._raw(length).decode()

    def data(self) -> bytes:
        """Read bytes; null reads as empty."""
        return self._raw(max(0, self.number("i")))

    def _raw(self, length: int) -> bytes:
        self.position += length
        return self.frame[self.position - length : self.position]


def framed(payload: bytes) -> bytes:
    """Return bytes with their length before them."""
    return _LENGTH.pack(len(payload)) + payload


def string(text: str) -> bytes:
    """Encode a string of inflexible versions."""
    raw = text.encode()
    return struct.pack(">h", len(raw)) + raw
