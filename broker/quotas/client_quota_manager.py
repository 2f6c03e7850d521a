"""One kind of client quota: rates and throttle times (Kafka's ``ClientQuotaManager``).

The most specific quota applies: of user and client id, of the user, of the client id, each before
the default of its type. Clients that share a user's quota share its rate.

Every listener is PLAINTEXT, so the user of every client is ANONYMOUS.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from broker.common.java_numbers import long_to_int, round_to_long
from broker.config import Config
from broker.quotas.entity import CLIENT_ID, USER, Entity, Quotas
from broker.quotas.rate import Rate

ANONYMOUS = "ANONYMOUS"

# Kafka removes the sensors of a client after an hour without use.
_IDLE_MS = 3_600_000


class _Limit(NamedTuple):
    """The limit per second, and the entity that shares it."""

    per_second: float
    shared_by: tuple[str | None, str | None]


class ClientQuotaManager:
    """The quota of one *key*, such as ``producer_byte_rate``."""

    def __init__(self, key: str, config: Config, now_ms: Callable[[], float]) -> None:
        self._key = key
        self._windows = config.quota_window_num
        self._window_ms = config.quota_window_size_seconds * 1000
        self._now_ms = now_ms
        self._limits: dict[Entity, float] = {}
        self._rates: dict[tuple[str | None, str | None], Rate] = {}

    @property
    def quotas_enabled(self) -> bool:
        """Whether any such quota is set; if not, callers skip the other methods."""
        return bool(self._limits)

    def reconfigure(self, quotas: Mapping[Entity, Quotas]) -> None:
        """Apply *quotas* from now on; the measured rates stay."""
        self._limits = {
            entity: values[self._key] for entity, values in quotas.items() if self._key in values
        }

    def record(self, client_id: str | None, amount: float) -> int:
        """Record what a client used, and return its throttle time in milliseconds.

        A time of more than 31 bits loses the higher bits, as in Kafka: it may become short, or 0.
        """
        limit = self._limit(client_id or "")
        if limit is None:
            return 0
        now_ms, rate = self._now_ms(), self._rate(limit)
        rate.record(amount, now_ms)
        excess = rate.per_second(now_ms) - limit.per_second
        if excess <= 0:
            return 0
        throttle_ms = round_to_long(excess / limit.per_second * rate.elapsed_ms(now_ms))
        return max(0, long_to_int(throttle_ms))

    def unrecord(self, client_id: str | None, amount: float) -> None:
        """Undo a `record`: the client did not get the amount."""
        limit = self._limit(client_id or "")
        if limit is not None:
            self._rate(limit).record(-amount, self._now_ms())

    def max_value_in_quota_window(self, client_id: str | None) -> float:
        """The most that an idle client may use without being throttled, or infinity."""
        limit = self._limit(client_id or "")
        if limit is None:
            return math.inf
        return limit.per_second * (self._windows - 1) * self._window_ms / 1000

    def remove_idle(self) -> None:
        """Remove the rates of clients that are inactive for an hour."""
        now_ms = self._now_ms()
        self._rates = {
            each: rate for each, rate in self._rates.items() if not rate.is_idle(now_ms, _IDLE_MS)
        }

    def _rate(self, limit: _Limit) -> Rate:
        rate = self._rates.get(limit.shared_by)
        if rate is None:
            rate = self._rates[limit.shared_by] = Rate(self._windows, self._window_ms)
        return rate

    def _limit(self, client_id: str) -> _Limit | None:
        user, both, one = ANONYMOUS, (ANONYMOUS, client_id), (None, client_id)
        for entity, shared_by in (
            (((CLIENT_ID, client_id), (USER, user)), both),
            (((CLIENT_ID, None), (USER, user)), both),
            (((USER, user),), (user, None)),
            (((CLIENT_ID, client_id), (USER, None)), both),
            (((CLIENT_ID, None), (USER, None)), both),
            (((USER, None),), (user, None)),
            (((CLIENT_ID, client_id),), one),
            (((CLIENT_ID, None),), one),
        ):
            if (per_second := self._limits.get(entity)) is not None:
                return _Limit(per_second, shared_by)
        return None
