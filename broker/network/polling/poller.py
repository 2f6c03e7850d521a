"""Readiness of many transports, for one task that serves them all.

    serving task --wait--> poller --poll--> Watched.ready, for each transport that is ready
                             ^
                             `-- wake, from any other task

Readiness is a level, not an edge: while bytes can be received, each `Poller.poll` reports the
transport again.
"""

from __future__ import annotations

from typing import Protocol

from broker.network.transports.transport import Transport


class Watched(Protocol):
    """A user of a transport, which is notified when the transport is ready."""

    transport: Transport

    def ready(self, readable: bool, writable: bool) -> None:
        """The transport is readable, writable or both; after an error it is both."""
        ...

    def failed(self, error: Exception) -> None:
        """A wait for the transport has raised an unexpected exception."""
        ...


class Watch(Protocol):
    """The wait for one transport."""

    def update(self, reads: bool, writes: bool) -> None:
        """Wait until the transport is readable, writable, either of them, or for nothing.

        Raises OSError if the system refuses.
        """
        ...

    def end(self) -> None:
        """Wait for nothing any more; called before the transport is closed."""
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
