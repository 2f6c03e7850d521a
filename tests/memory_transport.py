"""Connections in memory: the two ends of a byte stream (`broker.network.transport.Transport`)."""

from __future__ import annotations

from collections.abc import Sequence

import trio

from broker.network.transport import Disconnected


class MemoryTransport:
    """One end; ``room`` bytes at most wait for the other end to read them."""

    def __init__(self, room: int = 1 << 20) -> None:
        self.peer = "memory"
        self.room = room
        self.incoming = bytearray()
        self.other: MemoryTransport
        self.closed = False
        self.ended = False  # sends no more, and still receives
        self._changed = trio.Event()

    def receive_into(self, buffer: memoryview) -> int:
        """Take what has arrived."""
        if self.closed:
            raise Disconnected("closed on this side")
        if not self.incoming:
            if self.other.closed or self.other.ended:
                return 0
            raise BlockingIOError
        count = min(len(buffer), len(self.incoming))
        buffer[:count] = self.incoming[:count]
        del self.incoming[:count]
        self.other.notify()
        return count

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """Hand over as much as there is room for."""
        if self.closed or self.other.closed:
            raise Disconnected("closed")
        data = b"".join(parts)[: self.room - len(self.other.incoming)]
        self.other.incoming += data
        self.other.notify()
        return len(data)

    async def wait_readable(self) -> None:
        """Wait for bytes or the end."""
        await trio.lowlevel.checkpoint()
        while not (self.incoming or self.other.closed or self.other.ended or self.closed):
            await self._changed.wait()
        if self.closed:
            raise Disconnected("closed on this side")

    async def wait_writable(self) -> None:
        """Wait for room."""
        await trio.lowlevel.checkpoint()
        while not (self.closed or self.other.closed) and len(self.other.incoming) >= self.room:
            await self._changed.wait()
        if self.closed:
            raise Disconnected("closed on this side")

    def end(self) -> None:
        """Send no more; the other end reads what is left, then the end, and may go on sending."""
        self.ended = True
        self.other.notify()

    def close(self) -> None:
        """Close this end; the other reads what is left, then the end."""
        self.closed = True
        self.notify()
        self.other.notify()

    def notify(self) -> None:
        """Wake whoever waits on this end."""
        self._changed.set()
        self._changed = trio.Event()


def memory_transport_pair(room: int = 1 << 20) -> tuple[MemoryTransport, MemoryTransport]:
    """Two connected ends."""
    one, other = MemoryTransport(room), MemoryTransport(room)
    one.other, other.other = other, one
    return one, other
