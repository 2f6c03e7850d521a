"""The two ends of a byte stream in memory: a connection between two nodes of the process.

    send --copies--> incoming of the other end --copies--> receive_into
                         `--- ready of its user, at once

A message takes no system call, and its receiver is served in the same step of the serving task. A
part of a file is not read when it is sent: the receiver reads it from the file into its own memory.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from typing import Final

import trio

from broker.network.transports.file_part import FilePart
from broker.network.transports.transport import Awaits, Disconnected, ReadinessListener
from protocol.output import SendFile

_ROOM_BYTES: Final = 1 << 20


class MemoryTransport:
    """One end; at most ``room`` bytes may be sent that the other end has not received.

    ``incoming`` has the next bytes to be received.
    """

    __slots__ = (
        "_after",
        "_after_bytes",
        "_changed",
        "_reads",
        "_user",
        "_writes",
        "closed",
        "ended",
        "incoming",
        "is_opening",
        "other",
        "peer",
        "room",
        "send_file",
    )

    def __init__(self, room: int = _ROOM_BYTES, peer: str = "memory") -> None:
        self.peer = peer
        self.is_opening = False
        self.send_file: SendFile | None = None
        self.room = room
        self.incoming = bytearray()
        # What is received after ``incoming``; a part of a file is the first of it.
        self._after: deque[FilePart | bytearray] = deque()
        self._after_bytes = 0
        self.other: MemoryTransport
        self.closed = False
        self.ended = False  # sends no more, and still receives
        self._user: ReadinessListener | None = None
        self._reads = self._writes = False  # what the user waits for
        self._changed: trio.Event | None = None  # of the tasks that wait

    @property
    def awaits(self) -> Awaits:
        """See `Transport.awaits`."""
        return Awaits.NOTHING if self._is_readable else Awaits.BYTES

    @property
    def _is_readable(self) -> bool:
        """Whether a receive returns at once."""
        return bool(self.incoming or self._after) or self.other.closed or self.other.ended

    def fileno(self) -> int:
        """See `Transport.fileno`: it has none."""
        return -1

    def receive_into(self, buffer: memoryview) -> int:
        """See `Transport.receive_into`."""
        if self.closed:
            raise Disconnected("closed on this side")
        count = self._take(buffer)
        while self._after and count < len(buffer):
            count += self._take_after(buffer[count:])
        if count:
            self.other.report(readable=False, writable=True)
        elif not (self.other.closed or self.other.ended):
            raise BlockingIOError
        return count

    def _take(self, buffer: memoryview) -> int:
        """Move the next bytes in memory to *buffer*."""
        incoming = self.incoming
        count = min(len(buffer), len(incoming))
        if count == len(incoming):
            buffer[:count] = incoming
            self.incoming = bytearray()
        else:
            with memoryview(incoming) as whole, whole[:count] as part:
                buffer[:] = part
            del incoming[:count]
        return count

    def _take_after(self, buffer: memoryview) -> int:
        """Move the bytes of what comes next to *buffer*."""
        first = self._after[0]
        if isinstance(first, FilePart):
            count = first.read_into(buffer)
            self._after_bytes -= count
            if not first.size:
                self._after.popleft()
                first.close()
            return count
        self._after.popleft()
        self._after_bytes -= len(first)
        self.incoming = first
        return self._take(buffer)

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """See `Transport.send`."""
        other = self.other
        if self.closed or other.closed:
            raise Disconnected("closed")
        sent = 0
        room = other.room_left(self.room)
        for part in parts:
            left = room - sent
            if not left:
                break
            fits = part if len(part) <= left else memoryview(part)[:left]
            other.arrive(fits)
            sent += len(fits)
        if sent:
            other.report(readable=True, writable=False)
        return sent

    def send_from_file(self, descriptor: int, position: int, size: int) -> int | None:
        """See `SendFile`; raises `Disconnected`. None if there are too many open files."""
        other = self.other
        if self.closed or other.closed:
            raise Disconnected("closed")
        sent = min(size, other.room_left(self.room))
        if sent > 0:
            try:
                part = FilePart(descriptor, position, sent)
            except OSError:
                return None
            other.arrive_in_file(part)
            other.report(readable=True, writable=False)
        return sent

    def room_left(self, room: int) -> int:
        """How many bytes may arrive if *room* of them may wait here."""
        return max(0, room - len(self.incoming) - self._after_bytes)

    def arrive(self, part: bytes | bytearray | memoryview) -> None:
        """Add bytes to those that wait here."""
        if not self._after:
            self.incoming += part
            return
        last = self._after[-1]
        if isinstance(last, FilePart):
            self._after.append(bytearray(part))
        else:
            last += part
        self._after_bytes += len(part)

    def arrive_in_file(self, part: FilePart) -> None:
        """Add a part of a file to what waits here."""
        self._after.append(part)
        self._after_bytes += part.size

    # -------------------------------------------------------------------------------- waits

    def watch(self, user: ReadinessListener) -> MemoryWatch:
        """See `Transport.watch`."""
        self._user = user
        self._reads, self._writes = True, False
        if self._is_readable:
            user.ready(True, False)
        return MemoryWatch(self)

    def report_when(self, reads: bool, writes: bool) -> None:
        """Report to the user what is true; `awaits` shows that bytes have arrived before."""
        self._reads, self._writes = reads, writes
        if writes and self._user is not None and self._has_room:
            self._user.ready(False, True)

    def report_nothing(self) -> None:
        """Report nothing any more."""
        self._user = None

    async def wait_readable(self) -> None:
        """See `Transport.wait_readable`."""
        await trio.lowlevel.checkpoint()
        while not (self._is_readable or self.closed):
            await self._change()
        if self.closed:
            raise Disconnected("closed on this side")

    async def wait_writable(self) -> None:
        """See `Transport.wait_writable`."""
        await trio.lowlevel.checkpoint()
        while not (self.closed or self._has_room):
            await self._change()
        if self.closed:
            raise Disconnected("closed on this side")

    @property
    def _has_room(self) -> bool:
        """Whether a send returns more than 0, or raises."""
        return self.other.closed or self.other.room_left(self.room) > 0

    async def _change(self) -> None:
        if self._changed is None:
            self._changed = trio.Event()
        await self._changed.wait()

    # ---------------------------------------------------------------------------------- end

    def end(self) -> None:
        """Send no more; the other end receives the rest and the end, and may still send."""
        self.ended = True
        self.other.report(readable=True, writable=False)

    def close(self) -> None:
        """Close this end; the other end receives the rest and the end."""
        self.closed = True
        self.send_file = None  # a bound method would keep this alive
        while self._after:
            left = self._after.pop()
            if isinstance(left, FilePart):
                left.close()
        self.report(readable=False, writable=False)
        self.other.report(readable=True, writable=True)

    def report(self, *, readable: bool, writable: bool) -> None:
        """Wake those who wait for this end, which may be readable or writable now."""
        changed = self._changed
        if changed is not None:
            self._changed = None
            changed.set()
        user = self._user
        if user is not None:
            readable, writable = readable and self._reads, writable and self._writes
            if readable or writable:
                user.ready(readable, writable)


class MemoryWatch:
    """The `Watch` of one end."""

    __slots__ = ("_transport",)

    def __init__(self, transport: MemoryTransport) -> None:
        self._transport = transport

    def update(self, reads: bool, writes: bool) -> None:
        """See `Watch.update`."""
        self._transport.report_when(reads, writes)

    def end(self) -> None:
        """See `Watch.end`."""
        self._transport.report_nothing()


def memory_transport_pair(
    room: int = _ROOM_BYTES, peer: str = "memory", *, sends_files: bool = False
) -> tuple[MemoryTransport, MemoryTransport]:
    """Two connected ends; *peer* is the address of both.

    *sends_files*: where the system supports it, they send parts of files without reading them.
    """
    one, other = MemoryTransport(room, peer), MemoryTransport(room, peer)
    one.other, other.other = other, one
    if sends_files and sys.platform == "linux":
        one.send_file, other.send_file = one.send_from_file, other.send_from_file
    return one, other
