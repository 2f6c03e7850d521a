"""What the broker installs in trio's loop: the watchdog, and waits without a pass of the loop."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import trio

from broker.steps.queue import StepQueue
from broker.steps.stalls import Stalls
from broker.steps.watchdog import Watchdog
from purgatories.timer.alarm import is_time_virtual


@contextmanager
def measured_loop(steps: StepQueue, stalls: Stalls, now_ms: Callable[[], float]) -> Iterator[None]:
    """Measure the steps of the running loop while the context is entered; see `Watchdog`."""
    watchdog = Watchdog(steps, stalls, now_ms)
    trio.lowlevel.add_instrument(watchdog)
    try:
        with _idle_loop(watchdog):
            yield
    finally:
        trio.lowlevel.remove_instrument(watchdog)


def _idle_loop(watchdog: Watchdog) -> AbstractContextManager[object]:
    if sys.platform == "linux" and not is_time_virtual():
        from broker.steps.idle_loop import IdleLoop, epoll_of_trio

        descriptor = epoll_of_trio()
        if descriptor is not None:
            return IdleLoop(watchdog, descriptor).installed()
    return nullcontext()
