"""Runs long computations in worker threads, so that the loop serves other requests meanwhile.

A computation is a pure function: it reads only its arguments, not the state of the broker. A
callback on the loop gets its outcome. There are few threads because Python runs one of them at a
time, and the loop waits for all of them. A computation that has waited for `PATIENCE_S` behind
longer ones gets a thread of its own, up to a limit. While any is busy, the interpreter's switch
interval is `SWITCH_INTERVAL_S` instead of the default 5 ms: the loop waits that long after each
system call that releases the interpreter's lock, several times per request.

The threads are trio's: they are reused, bounded by a limiter, and can be abandoned, so that neither
a stopping node nor the end of the process waits for a computation.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, cast

import trio
from mypy_extensions import mypyc_attr

THREADS_USUAL = 2
THREADS_MAX = 8  # as many requests as Kafka handles at a time (num.io.threads)
PATIENCE_S = 0.05
SWITCH_INTERVAL_S = 0.0001

Result = TypeVar("Result")


class Outcome(Generic[Result]):
    """The return value of a computation, or the exception that it raised."""

    __slots__ = ("_error", "_value")

    def __init__(self, value: Result | None = None, error: Exception | None = None) -> None:
        self._value = value
        self._error = error

    @staticmethod
    def of(work: Callable[[], Result], expected: type[Exception] = Exception) -> Outcome[Result]:
        """Run *work*, and keep its return value, or its exception if that is *expected*."""
        try:
            return Outcome(work())
        except expected as error:
            return Outcome(error=error)

    def result(self) -> Result:
        """The return value; raises the computation's exception."""
        if self._error is not None:
            raise self._error
        return cast("Result", self._value)


class Job(Generic[Result]):
    """A computation whose outcome is awaited until it is done or abandoned."""

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
        """Drop the computation, or its outcome if it runs already; the callback is not called."""
        self._work = self._then = None

    def compute(self) -> Outcome[Result] | None:
        """Run the computation, in any thread; None if it has been abandoned."""
        work, self._work = self._work, None
        return None if work is None else Outcome.of(work)

    def finish(self, outcome: Outcome[Result] | None) -> None:
        """Call the callback on the loop with the outcome, unless it has been abandoned."""
        then, self._then = self._then, None
        if then is not None:
            assert outcome is not None
            then(outcome)


class Offload(Protocol):
    """Runs long computations."""

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Deliver outcomes until cancelled; later ones are dropped."""
        ...

    def run(
        self, work: Callable[[], Result], then: Callable[[Outcome[Result]], object]
    ) -> Job[Result]:
        """Run *work*, which must be pure, and call *then* with its outcome on the loop."""
        ...


@mypyc_attr(allow_interpreted_subclasses=True)
class Inline:
    """Runs each computation before `run` returns: for tools and tests."""

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Return: every outcome is delivered already."""
        task_status.started()

    def run(
        self, work: Callable[[], Result], then: Callable[[Outcome[Result]], object]
    ) -> Job[Result]:
        """Run *work* and call *then*."""
        job = Job(work, then)
        job.finish(job.compute())
        return job


class WorkerThreads:
    """Runs computations in threads while `serve` runs; they begin in the order of the calls."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._usual = trio.Semaphore(THREADS_USUAL)
        self._limiter = trio.CapacityLimiter(THREADS_MAX)
        self._nursery: trio.Nursery | None = None

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Deliver outcomes until cancelled; later ones are dropped."""
        async with trio.open_nursery() as self._nursery:
            task_status.started()
            await trio.sleep_forever()

    def run(
        self, work: Callable[[], Result], then: Callable[[Outcome[Result]], object]
    ) -> Job[Result]:
        """Run *work* in a thread and call *then* on the loop later.

        An exception of *then* propagates from `serve`.
        """
        assert self._nursery is not None, "serve runs"
        job = Job(work, then)
        self._nursery.start_soon(self._run, job)
        return job

    async def _run(self, job: Job[Any]) -> None:
        is_usual = await self._has_usual_thread()
        try:
            outcome = await trio.to_thread.run_sync(
                short_turns.run, job.compute, limiter=self._limiter, abandon_on_cancel=True
            )
        finally:
            if is_usual:
                self._usual.release()
        job.finish(outcome)

    async def _has_usual_thread(self) -> bool:
        """Wait for one of the usual threads; False if that takes too long."""
        try:
            self._usual.acquire_nowait()
        except trio.WouldBlock:
            with trio.move_on_after(self._patience_s) as waiting:
                await self._usual.acquire()
            return not waiting.cancelled_caught
        return True


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
short_turns = ShortSwitchInterval()
