"""Waiting for the broker to be in some state: look, sleep until something moves, look again.

The time allowed runs on the broker's own timer, like every other wait: a clock that stands still
stops this one, too. Nothing polls.
"""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.conditions import Condition, some
from broker.admin.facts import Facts, JsonObject
from broker.admin.http import HttpError
from broker.common.state_changes import StateChanges
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

TIMEOUT_MS_DEFAULT = 5_000
TIMEOUT_MS_MAX = 3_600_000


async def wait_until(
    condition: Condition, facts: Facts, timer: SystemTimer, timeout_ms: int
) -> JsonObject:
    """What there is once *condition* holds; raises `HttpError` 408 that says what lacks."""
    deadline = _Deadline(timeout_ms, facts.changes)
    timer.add(deadline)
    try:
        while True:
            there_is, lacking = condition.look(facts)
            if not lacking:
                return there_is
            if deadline.is_over:
                instead = condition.instead(facts)
                raise HttpError(
                    HTTPStatus.REQUEST_TIMEOUT,
                    f"not within {timeout_ms} ms: {some(lacking)}"
                    + (f"; there is: {some(instead)}" if instead else ""),
                )
            await facts.changes.wait()
    finally:
        deadline.cancel()


class _Deadline(TimerTask):
    """Wakes those who wait for a change, so that the one whose time is up looks a last time."""

    __slots__ = ("_changes", "is_over")

    def __init__(self, timeout_ms: int, changes: StateChanges) -> None:
        super().__init__(timeout_ms)
        self._changes = changes
        self.is_over = False

    def run(self) -> None:
        self.is_over = True
        self._changes.notify()
