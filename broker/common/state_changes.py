"""Notifies waiting tasks that broker state may have changed.

    broker:  state_changes.notify()         a request parked or was completed, a connection ended,
                                            or an offset, an in-sync set, a leader, a group or
                                            the metadata of a node changed
    task:    check its condition; while it does not hold: await state_changes.wait(), check again

A notification does not say what has changed. Tasks check their conditions once per pass of the
loop, however many notifications there were. Without a waiting task `notify` costs one test.
"""

from __future__ import annotations

import trio
from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class StateChanges:
    """A condition variable for one thread, without a lock."""

    __slots__ = ("_awaited",)

    def __init__(self) -> None:
        self._awaited: trio.Event | None = None

    def notify(self) -> None:
        """Wake all waiting tasks; to be called in the broker's thread only."""
        if self._awaited is not None:
            self._awaited.set()
            self._awaited = None

    def next(self) -> trio.Event:
        """The event that the next `notify` sets; it must not be set otherwise."""
        if self._awaited is None:
            self._awaited = trio.Event()
        return self._awaited

    async def wait(self) -> None:
        """Wait for the next `notify`; earlier calls do not count."""
        await self.next().wait()
