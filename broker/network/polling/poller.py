"""Readiness of many transports, for one task that serves them all.

    serving task --wait--> poller --poll--> Watched.ready, for each transport that is ready
                             ^
                             `-- wake, from any other task

Readiness is a level, not an edge: while bytes can be received, each `Poller.poll` reports the
transport again. Only a transport that reports its readiness itself does so once
(`Transport.watch`).
"""

from __future__ import annotations

from typing import Protocol

from broker.network.transports.transport import ReadinessListener, Transport, Watch


class Watched(ReadinessListener, Protocol):
    """A user of a transport, which is notified when the transport is ready."""

    transport: Transport

    def failed(self, error: Exception) -> None:
        """A wait for the transport has raised an unexpected exception."""
        ...


class Poller(Protocol):
    """Waits for the transports of all connections of a node."""

    def watch(self, watched: Watched) -> Watch:
        """Wait until the transport is readable. Raises OSError if the system refuses."""
        ...

    async def wait(self) -> None:
        """Return when a transport is ready, or `wake` is called."""
        ...

    async def yield_to_others(self) -> None:
        """Let other tasks run between two steps, if any has something to do."""
        ...

    def wake(self) -> None:
        """End the present wait, or the next one."""
        ...

    def poll(self) -> None:
        """Call `Watched.ready` for the transports that are ready now."""
        ...

    def close(self) -> None:
        """Release the descriptors of the poller."""
        ...
