"""A listener at which the other nodes of the process connect without a socket.

A message between nodes takes no system call then. A produce with three replicas takes four of them.
"""

from __future__ import annotations

import errno
import os
from typing import Final

import trio

from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair

# As much as a socket takes that has grown; a follower fetches up to 1 MB of each partition.
_ROOM_BYTES: Final = 4 << 20


class LocalListener:
    """Connections that wait until they are accepted, at most *backlog*.

    ``peer`` is the numeric address that both ends have as that of their peer.
    """

    def __init__(self, peer: str, backlog: int) -> None:
        self.peer = peer
        self._waiting: tuple[
            trio.MemorySendChannel[MemoryTransport], trio.MemoryReceiveChannel[MemoryTransport]
        ] = trio.open_memory_channel(backlog)

    def connect(self) -> MemoryTransport:
        """A connection; raises OSError if the listener is closed or its backlog is full."""
        here, there = memory_transport_pair(_ROOM_BYTES, self.peer, sends_files=True)
        try:
            self._waiting[0].send_nowait(there)
        except (trio.WouldBlock, trio.ClosedResourceError):
            raise OSError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED)) from None
        return here

    async def accept(self) -> MemoryTransport:
        """The next connection, when there is one."""
        return await self._waiting[1].receive()

    def close(self) -> None:
        """Refuse connections from now on, and end those that wait."""
        send, receive = self._waiting
        send.close()
        try:
            while True:
                receive.receive_nowait().close()
        except (trio.WouldBlock, trio.EndOfChannel, trio.ClosedResourceError):
            receive.close()
