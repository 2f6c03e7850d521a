"""The steps of the loop that took too long, and the requests that caused them.

While a step runs, nothing else does. A request that arrives meanwhile is read in the pass of the
loop after it, or later in the same pass; timers that expire meanwhile run then. Until that pass has
ended the step is the `aftermath`, and the requests that are read or completed have waited for it.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from broker.steps.limits import (
    STALLS_KEPT,
    STEP_BUDGET_MS,
    STEP_LOG_INTERVAL_MS,
    STEP_WARNING_MS,
)
from protocol.api_names import api_name
from protocol.headers import RequestHeader

log = logging.getLogger("antechamber.steps")


class Stall(NamedTuple):
    """A step over budget: its duration, its task, and the last request that began in it."""

    ended_ms: float
    took_ms: float
    task: str
    request: RequestHeader | None

    def facts(self) -> dict[str, Any]:
        """The step in a wait record; a step without request is the broker's own work."""
        request = self.request
        return {
            "api": None if request is None else api_name(request.api_key),
            "client_id": None if request is None else request.client_id,
            "correlation_id": None if request is None else request.correlation_id,
            "ms": round(self.took_ms),
        }


class Stalls:
    """Counts the steps of the process that are over budget, and keeps the last few."""

    def __init__(self, wall_us_at: Callable[[float], int]) -> None:
        self.aftermath: Stall | None = None
        self.count = 0
        self.longest_ms = 0.0
        self._last: deque[Stall] = deque(maxlen=STALLS_KEPT)
        self._wall_us_at = wall_us_at
        self._logged_ms = float("-inf")
        self._unlogged = 0

    def add(self, stall: Stall) -> None:
        """Count a step; log it unless another one was logged recently."""
        self.aftermath = stall
        self.count += 1
        self.longest_ms = max(self.longest_ms, stall.took_ms)
        self._last.append(stall)
        if stall.ended_ms - self._logged_ms < STEP_LOG_INTERVAL_MS:
            self._unlogged += 1
            return
        more, self._unlogged, self._logged_ms = self._unlogged, 0, stall.ended_ms
        level = logging.WARNING if stall.took_ms >= STEP_WARNING_MS else logging.INFO
        log.log(level, "%s", _line(stall) + (f"; {more} more since the last line" if more else ""))

    def behind(self, header: RequestHeader) -> Stall | None:
        """The step that a request read or completed now has waited for, or None."""
        stall = self.aftermath
        return None if stall is None or stall.request is header else stall

    def statistics(self) -> dict[str, Any]:
        """The number of steps over budget, the longest, and the last few."""
        return {
            "budget_ms": STEP_BUDGET_MS,
            "over_budget": self.count,
            "longest_ms": round(self.longest_ms),
            "last": [
                {
                    "ended_us": self._wall_us_at(stall.ended_ms),
                    "task": stall.task,
                    "version": None if stall.request is None else stall.request.api_version,
                    **stall.facts(),
                }
                for stall in self._last
            ],
        }


def _line(stall: Stall) -> str:
    took = f"a step of the loop took {stall.took_ms:.0f} ms"
    request = stall.request
    if request is None:
        return f"{took}: task {stall.task}"
    return (
        f"{took}: {api_name(request.api_key)} v{request.api_version} "
        f"correlation={request.correlation_id} client={request.client_id!a}"
    )
