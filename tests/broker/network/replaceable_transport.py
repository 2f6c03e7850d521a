"""A transport whose methods a test can replace."""

from __future__ import annotations

from typing import Any

from broker.network.transports.memory_transport import MemoryTransport
from broker.network.transports.transport import ReadinessListener


class ReplaceableTransport:
    """One end of a stream in memory; tasks wait for it, as they do for sockets without epoll."""

    def __init__(self, replaced: MemoryTransport) -> None:
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        return getattr(self._replaced, name)

    def watch(self, _user: ReadinessListener) -> None:
        """See `Transport.watch`."""
