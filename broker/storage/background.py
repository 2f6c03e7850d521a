"""Work that would keep the loop from its turn: the disk's, which takes as long as it likes.

A thread has only the bytes and names that it was given; what comes of it is told on the loop, so
nothing of a log is ever touched from two sides.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Protocol

import trio

from purgatories.on_error import OnError, log_error

THREADS_MAX = 4

Work = Callable[[], None]
Then = Callable[[OSError | None], None]


class Background(Protocol):
    """Where work is done that may take its time."""

    def run(self, work: Work, then: Then) -> None:
        """Do *work*; call *then* with the OSError it raised, or None."""
        ...

    def soon(self, action: Callable[[], None]) -> None:
        """Call *action* when whoever is at work now is through."""
        ...


class Inline:
    """Does everything at once: for tools, and tests that need no loop."""

    def run(self, work: Work, then: Then) -> None:
        """Do it, and wait."""
        try:
            work()
        except OSError as error:
            then(error)
        else:
            then(None)

    def soon(self, action: Callable[[], None]) -> None:
        """Call it."""
        action()


class Threads:
    """Does work in threads of trio's; to be used on its loop only.

    Exceptions that nobody expects are reported to *on_error*. Those of the work are an OSError for
    whoever waits for it: what the disk has then is not known.
    """

    def __init__(self, on_error: OnError = log_error) -> None:
        self._limiter = trio.CapacityLimiter(THREADS_MAX)
        self._on_error = on_error

    def run(self, work: Work, then: Then) -> None:
        """Do it in a thread; *then* is called on the loop."""
        trio.lowlevel.spawn_system_task(self._run, work, then)

    def soon(self, action: Callable[[], None]) -> None:
        """Call it on the loop's next turn."""
        trio.lowlevel.current_trio_token().run_sync_soon(self._call, action)

    async def _run(self, work: Work, then: Then) -> None:
        failure = None
        try:
            await trio.to_thread.run_sync(work, limiter=self._limiter)
        except OSError as error:
            failure = error
        except Exception as error:
            self._on_error(f"work in a thread: {work!r}", error)
            failure = OSError(errno.EIO, f"{type(error).__name__}: {error}")
        self._call(then, failure)

    def _call(self, action: Callable[..., None], *arguments: object) -> None:
        try:
            action(*arguments)
        except Exception as error:
            self._on_error(f"what follows work in a thread: {action!r}", error)


def background(on_error: OnError = log_error) -> Background:
    """Threads on trio's loop, no such thing elsewhere."""
    return Threads(on_error) if trio.lowlevel.in_trio_run() else Inline()
