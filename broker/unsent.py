"""The responses of one connection that its socket has not taken yet, in pieces and in order."""

from __future__ import annotations

from broker.transport import Transport
from protocol.output import Bytes, Output


class Unsent:
    """Invariant: ``size_bytes`` is the sum of the lengths of all pieces."""

    __slots__ = ("_parts", "size_bytes")

    def __init__(self) -> None:
        self._parts: list[Bytes] = []
        self.size_bytes = 0

    def add(self, out: Output, start: int) -> None:
        """Append an encoded response; its length is written at *start*."""
        self.size_bytes += out.finish_frame(start)
        self._parts += out.parts()

    def send(self, transport: Transport) -> None:
        """Send until the socket takes no more or nothing is left; raises `Disconnected`."""
        while self._parts:
            sent = transport.send(self._parts)
            self.size_bytes -= sent
            if self.size_bytes == 0:
                self._parts = []
                return
            if sent == 0:
                return
            self._drop(sent)

    def clear(self) -> None:
        """Drop everything."""
        self._parts = []
        self.size_bytes = 0

    def _drop(self, sent: int) -> None:
        """Drop the first *sent* bytes."""
        done = 0
        for part in self._parts:
            if sent < len(part):
                break
            sent -= len(part)
            done += 1
        del self._parts[:done]
        if sent:
            self._parts[0] = memoryview(self._parts[0])[sent:]
