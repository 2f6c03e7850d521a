"""Runs work that would block the event loop, such as syncing files, in threads.

The work uses only the values that it was given, and its result is delivered on the event loop, so
only the event loop's thread uses the state of a log.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Protocol

import trio
from mypy_extensions import mypyc_attr

from purgatories.on_error import OnError, log_error

THREADS_MAX = 4

Work = Callable[[], None]
Then = Callable[[OSError | None], None]


class BlockingWork(Protocol):
    """Runs work that may block."""

    def run(self, work: Work, then: Then) -> None:
        """Run *work*, then call *then* with its OSError or None."""
        ...

    def soon(self, action: Callable[[], None]) -> None:
        """Call *action* after the current call stack has returned."""
        ...


@mypyc_attr(allow_interpreted_subclasses=True)
class Inline:
    """Runs everything immediately: for tools and tests without an event loop."""

    def run(self, work: Work, then: Then) -> None:
        """Run *work*, then call *then*."""
        try:
            work()
        except OSError as error:
            then(error)
        else:
            then(None)

    def soon(self, action: Callable[[], None]) -> None:
        """Call *action*."""
        action()


class Threads:
    """Runs work in trio's threads; usable only on trio's event loop.

    Unexpected exceptions are reported to *on_error*. One of the work is passed to *then* as an
    OSError, because it is not known what has reached the disk.
    """

    def __init__(self, on_error: OnError = log_error) -> None:
        self._limiter = trio.CapacityLimiter(THREADS_MAX)
        self._on_error = on_error

    def run(self, work: Work, then: Then) -> None:
        """Run *work* in a thread; *then* is called on the event loop."""
        trio.lowlevel.spawn_system_task(self._run, work, then)

    def soon(self, action: Callable[[], None]) -> None:
        """Call *action* in the next iteration of the event loop."""
        trio.lowlevel.current_trio_token().run_sync_soon(self._call, action)

    async def _run(self, work: Work, then: Then) -> None:
        failure = None
        try:
            await trio.to_thread.run_sync(work, limiter=self._limiter)
        except OSError as error:
            failure = error
        except Exception as unexpected:
            self._on_error(f"work in a thread: {work!r}", unexpected)
            failure = OSError(errno.EIO, f"{type(unexpected).__name__}: {unexpected}")
        self._call(then, failure)

    def _call(self, action: Callable[..., None], *arguments: object) -> None:
        try:
            action(*arguments)
        except Exception as error:
            self._on_error(f"after work in a thread: {action!r}", error)


def blocking_work(on_error: OnError = log_error) -> BlockingWork:
    """`Threads` on trio's event loop, `Inline` elsewhere."""
    return Threads(on_error) if trio.lowlevel.in_trio_run() else Inline()
