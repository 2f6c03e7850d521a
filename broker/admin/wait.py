"""Waits for a condition: checks it now, and again after each change of the broker's state.

The timeout runs on a timer of the broker, so it follows the broker's clock.
"""

from __future__ import annotations

from http import HTTPStatus

from broker.admin.conditions.condition import Condition, some
from broker.admin.facts.facts import Facts
from broker.admin.facts.json_object import JsonObject
from broker.admin.http import HttpError
from broker.common.state_changes import StateChanges
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

TIMEOUT_MS_DEFAULT = 30_000
TIMEOUT_MS_MAX = 3_600_000


async def wait_until(
    condition: Condition, facts: Facts, timer: SystemTimer, timeout_ms: int
) -> JsonObject:
    """Return the finding when *condition* holds; raises `HttpError` 408 after the timeout.

    Its message has what is missing.
    """
    deadline = _Deadline(timeout_ms, facts.changes)
    timer.add(deadline)
    try:
        while True:
            finding, missing = condition.check(facts)
            if not missing:
                return finding
            if deadline.is_over:
                alternatives = condition.alternatives(facts)
                raise HttpError(
                    HTTPStatus.REQUEST_TIMEOUT,
                    f"not within {timeout_ms} ms: {some(missing)}"
                    + (f"; there is: {some(alternatives)}" if alternatives else ""),
                )
            await facts.changes.wait()
    finally:
        deadline.cancel()


class _Deadline(TimerTask):
    """Notifies the waiting calls, so that the one that has timed out checks a last time."""

    __slots__ = ("_changes", "is_over")

    def __init__(self, timeout_ms: int, changes: StateChanges) -> None:
        super().__init__(timeout_ms)
        self._changes = changes
        self.is_over = False

    def run(self) -> None:
        self.is_over = True
        self._changes.notify()
