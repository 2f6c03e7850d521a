"""One kind of client quota: rates and throttle times (Kafka's ``ClientQuotaManager``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

from broker.common.java_numbers import long_to_int
from broker.config import Config
from broker.quotas.client_limits import ClientLimits, Limit, Sharing
from broker.quotas.entity import Entity, Quotas
from broker.quotas.rate import Rate
from broker.quotas.throttle import Throttle
from broker.quotas.usage import ThrottleTimes, Usage

# Kafka removes the sensors of a client after an hour without use.
IDLE_MS: Final = 3_600_000


class _Measured:
    """The rate of clients that share a quota, and their throttle times."""

    __slots__ = ("rate", "throttle_times")

    def __init__(self, windows: int, window_ms: int) -> None:
        self.rate = Rate(windows, window_ms)
        self.throttle_times = ThrottleTimes(windows, window_ms)


class ClientQuotaManager:
    """The quota of one *key*, such as ``producer_byte_rate``.

    ``quotas_enabled``: whether any such quota is set; if not, callers skip the methods.
    """

    def __init__(self, key: str, config: Config, now_ms: Callable[[], float]) -> None:
        self.quotas_enabled = False
        self.key = key
        self._windows = config.quota_window_num
        self._window_ms = config.quota_window_size_seconds * 1000
        self._now_ms = now_ms
        self._limits = ClientLimits(key)
        self._measured: dict[Sharing, _Measured] = {}

    def put(self, entity: Entity, quotas: Quotas) -> None:
        """Apply the quotas of *entity* from now on; the measured rates stay."""
        self._limits.put(entity, quotas)
        self.quotas_enabled = bool(self._limits)

    def record(self, user: str, client_id: str | None, amount: float) -> Throttle | None:
        """Record what a client used; returns its throttle if it has exceeded its quota."""
        limit = self._limits.of(user, client_id)
        if limit is None:
            return None
        now_ms, measured = self._now_ms(), self._of(limit)
        rate = measured.rate
        rate.record(amount, now_ms)
        time_ms = self._throttle_time_ms(rate, limit.per_second, now_ms)
        if time_ms <= 0:
            return None
        measured.throttle_times.record(time_ms, now_ms)
        per_second = rate.per_second(now_ms)
        return Throttle(time_ms, self.key, limit.entity, per_second, limit.per_second)

    def unrecord(self, user: str, client_id: str | None, amount: float) -> None:
        """Undo a `record`: the client did not get the amount."""
        limit = self._limits.of(user, client_id)
        if limit is not None:
            self._of(limit).rate.record(-amount, self._now_ms())

    def max_value_in_quota_window(self, user: str, client_id: str | None) -> float:
        """The most that an idle client may use without being throttled, or infinity."""
        limit = self._limits.of(user, client_id)
        if limit is None:
            return math.inf
        return limit.per_second * (self._windows - 1) * self._window_ms / 1000

    def forget_usage(self) -> None:
        """Remove the rates of all clients."""
        self._measured.clear()

    def remove_idle(self) -> None:
        """Remove the rates of clients that are inactive for an hour."""
        now_ms = self._now_ms()
        self._measured = {
            each: measured
            for each, measured in self._measured.items()
            if not measured.rate.is_idle(now_ms, IDLE_MS)
        }

    def usage(self) -> Iterator[Usage]:
        """What was measured of each client, or of all clients that share a quota."""
        now_ms = self._now_ms()
        for sharing, measured in self._measured.items():
            rate, times = measured.rate.per_second(now_ms), measured.throttle_times
            yield Usage(*sharing, rate, times.mean_ms(now_ms))

    def _throttle_time_ms(self, rate: Rate, per_second: float, now_ms: float) -> int:
        """A time of more than 31 bits loses the higher bits, as in Kafka; it may become short."""
        return long_to_int(rate.throttle_time_ms(per_second, now_ms))

    def _of(self, limit: Limit) -> _Measured:
        measured = self._measured.get(limit.shared_by)
        if measured is None:
            measured = self._measured[limit.shared_by] = _Measured(self._windows, self._window_ms)
        return measured
