"""What the broker installs in trio's loop: the watchdog, and waits without a pass of the loop."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from broker.steps.hooks import hooked
from broker.steps.queue import StepQueue
from broker.steps.stalls import Stalls
from broker.steps.watchdog import Watchdog
from purgatories.timer.alarm import is_time_virtual


@contextmanager
def measured_loop(steps: StepQueue, stalls: Stalls, now_ms: Callable[[], float]) -> Iterator[None]:
    """Measure the steps of the running loop while the context is entered; see `Watchdog`."""
    watchdog = Watchdog(steps, stalls, now_ms)
    hooks = hooked(
        before_task_step=watchdog.before_task_step, after_task_step=watchdog.after_task_step
    )
    with hooks, _idle_loop(watchdog):
        yield


def _idle_loop(watchdog: Watchdog) -> AbstractContextManager[object]:
    if sys.platform == "linux" and not is_time_virtual():
        from broker.steps.idle_loop import epoll_of_trio, installed_idle_loop

        descriptor = epoll_of_trio()
        if descriptor is not None:
            return installed_idle_loop(watchdog, descriptor)
    return nullcontext()
