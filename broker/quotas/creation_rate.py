"""A limit of how many connections are created per second; above it, none is accepted for a while.

The throttle time is that of Kafka's ``ConnectionQuotas.recordAndGetThrottleTimeMs``.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.config import Config
from broker.config.kinds import INT_MAX
from broker.quotas.rate import Rate
from broker.quotas.throttled_channel import ThrottledChannel
from purgatories.timer.system_timer import SystemTimer


class CreationRate:
    """Measures the rate, and calls *on_resume* after a throttle.

    ``limit``: the allowed rate. ``is_throttled``: whether connections have to wait.
    """

    def __init__(self, config: Config, timer: SystemTimer, on_resume: Callable[[], object]) -> None:
        self.limit = INT_MAX
        self.is_throttled = False
        self._timer = timer
        self._on_resume = on_resume
        self._window_ms = config.quota_window_size_seconds * 1000
        self._creations = Rate(config.quota_window_num, self._window_ms)

    def record(self) -> None:
        """Count a new connection."""
        if self.limit == INT_MAX:
            return
        now_ms = self._timer.now_ms()
        self._creations.record(1, now_ms)
        throttle_ms = self._creations.throttle_time_ms(self.limit, now_ms)
        if throttle_ms:
            self.is_throttled = True
            # At most one window, as in Kafka.
            ThrottledChannel(self._timer, min(throttle_ms, self._window_ms), self._resume)

    def _resume(self) -> None:
        self.is_throttled = False
        self._on_resume()
