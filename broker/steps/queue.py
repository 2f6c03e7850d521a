"""A queue that runs long work in slices, round robin.

Long work is a generator that yields wherever it may be interrupted, and returns its result. Between
two slices other tasks run and change state, so work must read state again after each yield. Work
that ends within its first slice is not queued and causes no task switch.

    start --first slice--> done(result)                      short work
               `---------> queue --slice--> ... --> done     long work, other tasks in between

Work that yields a `Signal` instead of None continues when the signal is set.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import Any, Final, Protocol, TypeGuard, TypeVar

import trio

from broker.common.do_nothing import do_nothing
from broker.steps.limits import SLICE_MS
from protocol.headers import RequestHeader
from purgatories.on_error import OnError, log_error

Item = TypeVar("Item")
Result = TypeVar("Result")


class Signal:
    """An event that happens once, for which work can wait."""

    __slots__ = ("_actions", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self._actions: list[tuple[Callable[[], object], OnError]] = []

    def set(self) -> None:
        """Set the signal and call each waiting action once, even if another one raises."""
        self.is_set = True
        actions, self._actions = self._actions, []
        for action, on_error in actions:
            try:
                action()
            except Exception as error:
                on_error(f"action {action!r}", error)

    def when_set(self, action: Callable[[], object], on_error: OnError = log_error) -> None:
        """Call *action* when the signal is set, or now if it is set.

        An exception of a later call is reported to *on_error*, not raised from `set`.
        """
        if self.is_set:
            action()
        else:
            self._actions.append((action, on_error))


def all_set(signals: Iterable[Signal]) -> Signal:
    """A signal that is set when all of *signals* are."""
    done, unset = Signal(), [each for each in signals if not each.is_set]
    missing = len(unset)

    def count_down() -> None:
        nonlocal missing
        missing -= 1
        if not missing:
            done.set()

    for each in unset:
        each.when_set(count_down)
    return done if unset else DONE


# A signal that is set.
DONE: Final = Signal()
DONE.set()

# Work that yields between its pieces and returns its result.
Slices = Generator[Signal | None, None, Result]


def are_slices(outcome: object) -> TypeGuard[Slices[Any]]:
    """Whether *outcome* is a generator; that of a compiled function has a type of its own."""
    return hasattr(outcome, "send")


class Work(Protocol):
    """An entry of the queue."""

    def advance(self) -> None:
        """Run one slice; if work remains, call `StepQueue.enqueue`."""
        ...


class StepQueue:
    """One for all nodes; *now_ms* is a monotonic clock that advances while a slice runs.

    With a clock that advances at each call, tests get slices of a known number of pieces. An
    exception in a slice is reported to *on_error*; that work ends, and other work continues.
    """

    def __init__(self, now_ms: Callable[[], float], on_error: OnError = log_error) -> None:
        self.now_ms = now_ms
        self._on_error = on_error
        # The request whose work runs in the present step of the loop: the last one begun in it.
        self.request: RequestHeader | None = None
        self.slices_run = 0
        self._waiting: deque[Work] = deque()
        self._added = trio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def start(
        self, slices: Slices[Result], done: Callable[[Result], object] = do_nothing
    ) -> Job | None:
        """Run *slices*, then call *done* with the result; None if that has happened already."""
        job = Job(self, slices, done)
        job.advance()
        return None if job.is_done else job

    def run_slice(self, slices: Slices[Any]) -> Signal | None:
        """Run *slices* for `SLICE_MS`, or until they wait for a signal, which is returned.

        Raises StopIteration with the result when they end.
        """
        now_ms = self.now_ms
        ends_ms = now_ms() + SLICE_MS
        self.slices_run += 1
        while True:
            signal = next(slices)
            if signal is not None and not signal.is_set:
                return signal
            if now_ms() >= ends_ms:
                return None

    def enqueue(self, work: Work, signal: Signal | None) -> None:
        """Run the next slice of *work* after the work before it, or after *signal* is set."""
        if signal is not None:
            signal.when_set(partial(self.enqueue, work, None), self._on_error)
        else:
            self._waiting.append(work)
            self._added.set()

    async def run(self) -> None:
        """Run the queue until cancelled."""
        while True:
            if not self._waiting:
                self._added = trio.Event()
                await self._added.wait()
            work = self._waiting.popleft()
            try:
                work.advance()
            except Exception as error:
                self._on_error(f"a slice of {work!r}", error)
            await trio.lowlevel.checkpoint()


class Job:
    """A generator in progress, and the callback for its result."""

    __slots__ = ("_done", "_is_running", "_queue", "_slices")

    def __init__(
        self, queue: StepQueue, slices: Slices[Any], done: Callable[[Any], object]
    ) -> None:
        self._queue = queue
        self._slices: Slices[Any] | None = slices
        self._done = done
        self._is_running = False

    @property
    def is_done(self) -> bool:
        """Whether the work has ended or was cancelled."""
        return self._slices is None

    def advance(self) -> None:
        """See `Work.advance`."""
        if self._slices is None:
            return
        self._is_running = True
        try:
            signal = self._queue.run_slice(self._slices)
        except StopIteration as end:
            if self._slices is not None:
                self._slices = None
                self._done(end.value)
            return
        finally:
            self._is_running = False
        self._queue.enqueue(self, signal)

    def cancel(self) -> None:
        """Stop the work; *done* is not called."""
        slices, self._slices = self._slices, None
        if slices is not None and not self._is_running:
            slices.close()


def finish(slices: Slices[Result]) -> Result:
    """Run all of *slices* now, for callers that cannot wait; they must not wait for a signal."""
    while True:
        try:
            signal = next(slices)
        except StopIteration as end:
            result: Result = end.value
            return result
        assert signal is None or signal.is_set


def completed(result: Result) -> Slices[Result]:
    """Slices of work that has ended already."""
    yield from ()
    return result


def map_in_slices(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> Slices[list[Result]]:
    """The results of *function* for all *items*; other tasks may run between two items."""
    results = []
    for item in items:
        results.append(function(item))
        yield None
    return results
