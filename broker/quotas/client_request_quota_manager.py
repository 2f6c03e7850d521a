"""The quota ``request_percentage``: the time of handling requests (``ClientRequestQuotaManager``).

100 is all the time of one processor. Kafka measures the time of its request handler and network
threads, here it is the processor time of the steps that handle the request
(`broker.quotas.handling_time`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from broker.config import Config
from broker.quotas.client_quota_manager import ClientQuotaManager
from broker.quotas.entity import REQUEST_PERCENTAGE
from broker.quotas.rate import Rate
from broker.quotas.throttle import Throttle

_PERCENT_PER_NS: Final = 100 / 1e9


class ClientRequestQuotaManager(ClientQuotaManager):
    """Throttles a client for at most one window by each request, as Kafka does.

    *thread_time_ns* returns the processor time that the calling thread has used.
    """

    def __init__(
        self,
        config: Config,
        now_ms: Callable[[], float],
        thread_time_ns: Callable[[], int] = time.thread_time_ns,
    ) -> None:
        super().__init__(REQUEST_PERCENTAGE, config, now_ms)
        self.thread_time_ns = thread_time_ns

    def record_time(self, user: str, client_id: str | None, handled_ns: int) -> Throttle | None:
        """Record the time of a request; returns its client's throttle."""
        return self.record(user, client_id, handled_ns * _PERCENT_PER_NS)

    def _throttle_time_ms(self, rate: Rate, per_second: float, now_ms: float) -> int:
        return min(rate.throttle_time_ms(per_second, now_ms), self._window_ms)
