"""Readiness by trio tasks: for transports without a descriptor, and for systems without epoll.

Each direction of a transport that is watched has a task, which waits, reports, and waits again
when the report has been polled.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from broker.network.polling.poller import Watched
from broker.network.transports.transport import Disconnected, Watch


class TaskPoller:
    """A `Poller` whose tasks run in *nursery*; ``on_report`` replaces `wake` for reports."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.on_report: Callable[[], None] = self.wake
        self.nursery = nursery
        self._reports: list[_Wait] = []
        self._polled: list[_Wait] = []  # of the last poll; they wait again before the next one
        self._woken = trio.Event()

    def watch(self, watched: Watched) -> Watch:
        """See `Poller.watch`."""
        own = watched.transport.watch(watched)
        if own is not None:
            return own
        watch = TaskWatch(self, watched)
        watch.update(reads=True, writes=False)
        return watch

    async def wait(self) -> None:
        """See `Poller.wait`."""
        self.rearm()
        await self._woken.wait()
        self._woken = trio.Event()

    async def yield_to_others(self) -> None:
        """See `Poller.yield_to_others`."""
        await trio.lowlevel.checkpoint()

    def wake(self) -> None:
        """See `Poller.wake`."""
        self._woken.set()

    def poll(self) -> None:
        """See `Poller.poll`."""
        self.rearm()
        self._polled, self._reports = self._reports, self._polled
        for each in self._polled:
            each.deliver()

    def close(self) -> None:
        """See `Poller.close`: it has no descriptors."""

    def rearm(self) -> None:
        """Wait again for what the last poll has reported."""
        for each in self._polled:
            if each.is_wanted:
                each.begin()
        self._polled.clear()

    def report(self, wait: _Wait) -> None:
        """Deliver the end of a wait in the next poll."""
        self._reports.append(wait)
        self.on_report()


class TaskWatch:
    """The `Watch` of one transport: its two directions."""

    __slots__ = ("_reads", "_writes")

    def __init__(self, poller: TaskPoller, watched: Watched) -> None:
        transport = watched.transport
        self._reads = _Wait(poller, watched, transport.wait_readable, readable=True)
        self._writes = _Wait(poller, watched, transport.wait_writable, readable=False)

    def update(self, reads: bool, writes: bool) -> None:
        """See `Watch.update`."""
        for each, is_wanted in ((self._reads, reads), (self._writes, writes)):
            each.is_wanted = is_wanted
            if is_wanted:
                each.begin()

    def end(self) -> None:
        """See `Watch.end`; the waits end when the transport is closed."""
        self._reads.end()
        self._writes.end()


class _Wait:
    """The task of one direction; it exists from the first wait on.

    ``is_pending``: it waits, or its report has not been polled.
    """

    __slots__ = (
        "_begun",
        "_is_ended",
        "_poller",
        "_readable",
        "_wait",
        "_watched",
        "is_pending",
        "is_wanted",
    )

    def __init__(
        self,
        poller: TaskPoller,
        watched: Watched,
        wait: Callable[[], Awaitable[None]],
        *,
        readable: bool,
    ) -> None:
        self._poller = poller
        self._watched = watched
        self._wait = wait
        self._readable = readable
        self._begun: trio.Event | None = None
        self._is_ended = False
        self.is_pending = False
        self.is_wanted = False

    def begin(self) -> None:
        """Wait, unless it does so already."""
        if self.is_pending or self._is_ended:
            return
        self.is_pending = True
        if self._begun is None:
            self._begun = trio.Event()
            self._poller.nursery.start_soon(self._run)
        else:
            self._begun.set()

    def end(self) -> None:
        """End the task."""
        self._is_ended = True
        if self._begun is not None:
            self._begun.set()

    def deliver(self) -> None:
        """Call `Watched.ready`, unless the transport is not watched for that any more."""
        self.is_pending = False
        if self.is_wanted and not self._is_ended:
            self._watched.ready(self._readable, not self._readable)

    async def _run(self) -> None:
        while not self._is_ended:
            self._begun = trio.Event()
            try:
                await self._wait()
            except Disconnected:
                pass  # the next receive or send raises it
            except Exception as bug:
                self._watched.failed(bug)
                return
            if not self._is_ended:
                self._poller.report(self)
                await self._begun.wait()
