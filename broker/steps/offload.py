"""Long computations run in worker threads, so that the loop serves other requests meanwhile.

A computation is a pure function: it reads only what it is given, and no state of the broker. Its
outcome is handed to a callback on the loop. There are few threads because Python runs one of them
at a time: while any is busy, the interval at which the interpreter switches between threads is
`SWITCH_INTERVAL_S` instead of the default 5 ms. The loop waits that long for its turn after each
system call that releases the interpreter's lock, several times per request.

The threads are trio's: they are reused, bounded by a limiter, and can be abandoned, so that
neither a node that stops nor the end of the process waits for a computation.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, cast

import trio

THREADS_MAX = 2
SWITCH_INTERVAL_S = 0.0001

Result = TypeVar("Result")


class Outcome(Generic[Result]):
    """What a computation returned, or the exception it raised."""

    __slots__ = ("_error", "_value")

    def __init__(self, value: Result | None = None, error: Exception | None = None) -> None:
        self._value = value
        self._error = error

    @staticmethod
    def of(work: Callable[[], Result], expected: type[Exception] = Exception) -> Outcome[Result]:
        """Run *work*, and keep what it returns, or raises if that is *expected*."""
        try:
            return Outcome(work())
        except expected as error:
            return Outcome(error=error)

    def result(self) -> Result:
        """The value; raises what the computation raised."""
        if self._error is not None:
            raise self._error
        return cast("Result", self._value)


class Job(Generic[Result]):
    """A computation whose outcome is awaited, until it is done or abandoned."""

    __slots__ = ("_then", "_work")

    def __init__(
        self, work: Callable[[], Result], then: Callable[[Outcome[Result]], object]
    ) -> None:
        self._work: Callable[[], Result] | None = work
        self._then: Callable[[Outcome[Result]], object] | None = then

    @property
    def is_pending(self) -> bool:
        """Whether the outcome is still awaited."""
        return self._then is not None

    def abandon(self) -> None:
        """Drop the computation, or its outcome if it has begun; the callback is not called."""
        self._work = self._then = None

    def compute(self) -> Outcome[Result] | None:
        """Run the computation, in any thread; None if it has been abandoned."""
        work, self._work = self._work, None
        return None if work is None else Outcome.of(work)

    def finish(self, outcome: Outcome[Result] | None) -> None:
        """Hand the outcome to the callback, on the loop, unless it has been abandoned."""
        then, self._then = self._then, None
        if then is not None:
            assert outcome is not None
            then(outcome)


class Offload(Protocol):
    """Where long computations run."""

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Hand over outcomes until cancelled; what has not been handed over then is dropped."""
        ...

    def run(
        self, work: Callable[[], Result], then: Callable[[Outcome[Result]], object]
    ) -> Job[Result]:
        """Run *work*, which must be pure, and call *then* with its outcome on the loop."""
        ...


class Inline:
    """Runs each computation at once, before `run` returns: for tools and tests."""

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Return: nothing is left to hand over."""
        task_status.started()

    def run(
        self, work: Callable[[], Result], then: Callable[[Outcome[Result]], object]
    ) -> Job[Result]:
        """Run *work* and call *then*."""
        job = Job(work, then)
        job.finish(job.compute())
        return job


class WorkerThreads:
    """Runs computations in threads while `serve` runs, and in the order in which they came."""

    def __init__(self) -> None:
        self._limiter = trio.CapacityLimiter(THREADS_MAX)
        self._nursery: trio.Nursery | None = None

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Hand over outcomes until cancelled; what has not been handed over then is dropped."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await trio.sleep_forever()

    def run(
        self, work: Callable[[], Result], then: Callable[[Outcome[Result]], object]
    ) -> Job[Result]:
        """Run *work* in a thread; *then* is called on the loop, later.

        An exception of *then* propagates from `serve`.
        """
        assert self._nursery is not None, "serve runs"
        job = Job(work, then)
        self._nursery.start_soon(self._run, job)
        return job

    async def _run(self, job: Job[Any]) -> None:
        outcome = await trio.to_thread.run_sync(
            _short_turns.run, job.compute, limiter=self._limiter, abandon_on_cancel=True
        )
        job.finish(outcome)


class ShortSwitchInterval:
    """Shortens the interpreter's switch interval while at least one thread computes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy = 0
        self._usual_s = 0.0

    def run(self, work: Callable[[], Result]) -> Result:
        """Run *work* with the short interval."""
        with self._lock:
            if not self._busy:
                self._usual_s = sys.getswitchinterval()
                sys.setswitchinterval(SWITCH_INTERVAL_S)
            self._busy += 1
        try:
            return work()
        finally:
            with self._lock:
                self._busy -= 1
                if not self._busy:
                    sys.setswitchinterval(self._usual_s)


# The interval belongs to the process.
_short_turns = ShortSwitchInterval()
