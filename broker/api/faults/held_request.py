"""A request that a fault rule holds: until a delay ends, the rule is removed, or forever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.api.faults.fault_wait import FaultWait
from broker.api.request import Request
from broker.common.errors import Refused
from broker.faults.rule import FaultRule
from broker.steps.schedule import schedule_once
from broker.wait_records.causes import RULE_REMOVED, TIMED_OUT, Cause
from purgatories.timer.timer_task import TimerTask


class HeldRequest:
    """Ends once: `then` is called after the delay, or when the rule is removed.

    Without *then* the removal closes the connection. A disconnect ends the hold as well.
    """

    __slots__ = ("_request", "_rule", "_task", "_then", "wait")

    def __init__(
        self,
        request: Request[Any],
        rule: FaultRule,
        effect: str,
        delay_ms: int | None = None,
        then: Callable[[], object] | None = None,
    ) -> None:
        timer = request.services.faults.timer
        ends_ms = None if delay_ms is None else timer.now_ms() + delay_ms
        self.wait = FaultWait(rule, effect, delay_ms, ends_ms)
        self._request = request
        self._rule = rule
        self._then = then
        self._task: TimerTask | None = None
        if delay_ms is not None:
            self._task = schedule_once(timer, self._expire, delay_ms=delay_ms)
        rule.held.add(self)

    def abandon(self) -> None:
        """End the hold without an effect: the client has disconnected."""
        self._rule.held.discard(self)
        if self._task is not None:
            self._task.cancel()

    def release(self) -> None:
        """End the hold: the rule is removed."""
        self._end(RULE_REMOVED)

    def _expire(self) -> None:
        self._end(TIMED_OUT)

    def _end(self, cause: Cause) -> None:
        self.abandon()
        self._request.on_disconnect = None
        self.wait.ended_by = cause
        if self._then is None:
            self._request.sink.refuse(Refused(f"{self._rule.words} is removed"))
        else:
            self._request.attempt(self._then)
