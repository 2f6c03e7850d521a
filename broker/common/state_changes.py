"""A signal that something of the broker has moved, for those who wait until it looks as they wish.

    broker:  changes.notify()     a request parked or was answered; an offset, an in-sync set, a
                                  leader or a group moved
    waiter:  look; if it is not so yet: await changes.moved(); look again

Nobody says what moved: whoever waits looks for itself, once in a turn of the loop however much has
happened. While nobody waits, `notify` is one test of an attribute.
"""

from __future__ import annotations

import trio


class Changes:
    """Wakes all who wait in `moved`."""

    __slots__ = ("_awaited",)

    def __init__(self) -> None:
        self._awaited: trio.Event | None = None

    def notify(self) -> None:
        """Wake whoever waits; from the broker's own thread only."""
        if self._awaited is not None:
            self._awaited.set()
            self._awaited = None

    async def moved(self) -> None:
        """Wait for the next `notify`; what came before this call does not count."""
        if self._awaited is None:
            self._awaited = trio.Event()
        await self._awaited.wait()
