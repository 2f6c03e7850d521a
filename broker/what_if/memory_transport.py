"""The two ends of a byte stream in memory (`broker.network.transports.transport.Transport`)."""

from __future__ import annotations

from collections.abc import Sequence

import trio

from broker.network.transports.transport import Awaits, Disconnected
from protocol.output import SendFile


class MemoryTransport:
    """One end; at most ``room`` bytes may be sent that the other end has not received."""

    def __init__(self, room: int = 1 << 20) -> None:
        self.peer = "memory"
        self.awaits, self.is_opening = Awaits.BYTES, False
        self.send_file: SendFile | None = None
        self.room = room
        self.incoming = bytearray()
        self.other: MemoryTransport
        self.closed = False
        self.ended = False  # sends no more, and still receives
        self._changed = trio.Event()

    def fileno(self) -> int:
        """See `Transport.fileno`: it has none."""
        return -1

    def receive_into(self, buffer: memoryview) -> int:
        """See `Transport.receive_into`."""
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
        """See `Transport.send`."""
        if self.closed or self.other.closed:
            raise Disconnected("closed")
        data = b"".join(parts)[: self.room - len(self.other.incoming)]
        self.other.incoming += data
        self.other.notify()
        return len(data)

    async def wait_readable(self) -> None:
        """See `Transport.wait_readable`."""
        await trio.lowlevel.checkpoint()
        while not (self.incoming or self.other.closed or self.other.ended or self.closed):
            await self._changed.wait()
        if self.closed:
            raise Disconnected("closed on this side")

    async def wait_writable(self) -> None:
        """See `Transport.wait_writable`."""
        await trio.lowlevel.checkpoint()
        while not (self.closed or self.other.closed) and len(self.other.incoming) >= self.room:
            await self._changed.wait()
        if self.closed:
            raise Disconnected("closed on this side")

    def end(self) -> None:
        """Send no more; the other end receives the rest and the end, and may still send."""
        self.ended = True
        self.other.notify()

    def close(self) -> None:
        """Close this end; the other end receives the rest and the end."""
        self.closed = True
        self.notify()
        self.other.notify()

    def notify(self) -> None:
        """Wake the tasks that wait for this end."""
        self._changed.set()
        self._changed = trio.Event()


def memory_transport_pair(room: int = 1 << 20) -> tuple[MemoryTransport, MemoryTransport]:
    """Two connected ends."""
    one, other = MemoryTransport(room), MemoryTransport(room)
    one.other, other.other = other, one
    return one, other
