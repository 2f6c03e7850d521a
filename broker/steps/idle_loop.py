"""Waits for descriptors in place of trio's loop while one task is all that has something to do.

    pass of trio's loop --> serving task --wait--> its descriptor is ready: no pass
                ^                           |
                `---------------------------`----> one of trio's is ready, or a deadline is over

A pass of trio's loop takes a quarter of the time of a small produce, and nearly all passes of a
broker run the task that serves connections and nothing else. That task waits here instead,
also for the epoll object of trio, which is readable when any other task can continue. Between two
steps of work that does not end, it asks whether any can (`IdleLoop.is_alone`).

trio calls it in each pass (`broker.steps.measured_loop`): it notes how many tasks have become
runnable since trio last waited. If that is one, it is the running task, and no deadline can have
changed.
"""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Final

import trio

from broker.steps import busy_poll, cores
from broker.steps.hooks import hooked
from broker.steps.watchdog import Watchdog

assert sys.platform == "linux"

# A pass in which the running task is not known to be the only one.
_SEVERAL: Final = 2


class IdleLoop:
    """There is one for each loop.

    *watchdog* measures the steps of the loop; a wait ends a step. *descriptor* is that of the
    epoll object of trio (`epoll_of_trio`).
    """

    def __init__(self, watchdog: Watchdog, descriptor: int) -> None:
        self.descriptor = descriptor
        self._watchdog = watchdog
        self._scheduled = _SEVERAL
        self._ends_s = 0.0

    def before_io_wait(self, timeout: float) -> None:
        """The loop waits; without *timeout* because tasks are runnable or a deadline is over."""
        self._scheduled = 0 if timeout > 0 else _SEVERAL
        # trio's clock, without the call: it adds a constant to this one.
        self._ends_s = perf_counter() + timeout

    def task_scheduled(self, task: trio.lowlevel.Task) -> None:  # noqa: ARG002 - trio's signature
        """A task has become runnable."""
        self._scheduled += 1

    def end(self) -> None:
        """Make every wait take a pass of the loop, because nothing calls this object any more."""
        self._scheduled = _SEVERAL

    def wait(self, descriptors: LoopDescriptors) -> bool:
        """Wait in the running task, and return whether only its own descriptor is ready.

        False, perhaps at once, if other tasks may have to run: then the task must wait in trio's
        loop. The task must not have changed a deadline in its present step.
        """
        left_s = self._left_s()
        if left_s <= 0:
            return False
        self._watchdog.pause()
        is_own = descriptors.wait(left_s)
        self._watchdog.resume()
        return is_own

    def is_alone(self, descriptors: LoopDescriptors) -> bool:
        """End the step of the running task, and return whether no other task has to run.

        If not, the task must let trio's loop run. The rule about deadlines is that of `wait`.
        """
        if self._left_s() <= 0:
            return False
        self._watchdog.pause()
        is_alone = descriptors.are_own()
        self._watchdog.resume()
        return is_alone

    def _left_s(self) -> float:
        """The time until a deadline of another task; 0 or less if one may have to run now."""
        if self._scheduled > 1 or not self._watchdog.is_settled:
            return 0.0
        return self._ends_s - perf_counter()


class LoopDescriptors:
    """The descriptor of a task, and that of the epoll object of trio's loop."""

    def __init__(self, own: int, of_trio: int) -> None:
        """Raises OSError without free descriptors."""
        self._own = own
        self._epoll = select.epoll()
        self._epoll.register(own, select.EPOLLIN)
        self._epoll.register(of_trio, select.EPOLLIN)
        self._busy_poll = busy_poll.BusyPoll(
            self._epoll.poll, 2, perf_counter, has_cores=cores.usable_cores() > 1
        )

    def wait(self, left_s: float) -> bool:
        """Wait for that time at most, and return whether only the task's descriptor is ready."""
        ready = self._busy_poll.wait(left_s)
        return len(ready) == 1 and ready[0][0] == self._own

    def are_own(self) -> bool:
        """Whether that of trio is not ready now."""
        return all(descriptor == self._own for descriptor, _ in self._epoll.poll(0, 2))

    def close(self) -> None:
        """Release the descriptor."""
        self._epoll.close()


def present_idle_loop() -> IdleLoop | None:
    """That of the running loop; None if there is none."""
    return _present.get(None)


@contextmanager
def installed_idle_loop(watchdog: Watchdog, descriptor: int) -> Iterator[None]:
    """Have trio call an `IdleLoop`, which is `present_idle_loop`, in the context."""
    idle_loop = IdleLoop(watchdog, descriptor)
    with hooked(before_io_wait=idle_loop.before_io_wait, task_scheduled=idle_loop.task_scheduled):
        _present.set(idle_loop)
        try:
            yield
        finally:
            _present.set(None)
            idle_loop.end()


def epoll_of_trio() -> int | None:
    """The descriptor of the epoll object in which the running loop waits.

    It has no public name. None if this version of trio has it elsewhere; then every wait takes a
    pass of the loop.
    """
    present: Any = trio
    try:
        runner = present._core._run.GLOBAL_RUN_CONTEXT.runner  # noqa: SLF001 - as said above
        descriptor: int = runner.io_manager._epoll.fileno()  # noqa: SLF001 - as said above
    except AttributeError:
        return None
    return descriptor


_present: Final = trio.lowlevel.RunVar[IdleLoop | None]("idle loop")
