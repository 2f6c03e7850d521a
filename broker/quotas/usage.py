"""What clients that share a quota have used, and how they were throttled, for metrics.

The numbers are those of Kafka's metrics of ``kafka.server`` with the types ``Produce``, ``Fetch``,
``Request`` and ``ControllerMutation``.
"""

from __future__ import annotations

from typing import NamedTuple

from broker.quotas.rate import Rate


class Usage(NamedTuple):
    """``rate`` is in the unit of the quota, ``throttle_time_ms`` the mean of the last windows.

    A user or client id that does not matter for the quota is None. ``tokens`` are those that are
    left, if the quota has them.
    """

    user: str | None
    client_id: str | None
    rate: float
    throttle_time_ms: float
    tokens: float | None = None


class ThrottleTimes:
    """The throttle times of the last windows."""

    __slots__ = ("_count", "_sum_ms")

    def __init__(self, windows: int, window_ms: int) -> None:
        self._sum_ms = Rate(windows, window_ms)
        self._count = Rate(windows, window_ms)

    def record(self, time_ms: int, now_ms: float) -> None:
        """Add one."""
        self._sum_ms.record(time_ms, now_ms)
        self._count.record(1, now_ms)

    def mean_ms(self, now_ms: float) -> float:
        """Their mean; 0 if there are none."""
        count = self._count.per_second(now_ms)
        return self._sum_ms.per_second(now_ms) / count if count else 0.0
