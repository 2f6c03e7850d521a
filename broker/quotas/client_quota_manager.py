"""What each client may do of one kind, and how long it must pause (Kafka's ``ClientQuotaManager``).

The most particular quota counts: of user and client id, of the user, of the client id, each before
the default of its kind. Clients whom the same quota of a user counts for share it.

Every listener is PLAINTEXT, so every client's user is ANONYMOUS.
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

# As Kafka forgets what it has measured of a client that is gone.
_IDLE_MS = 3_600_000


class _Limit(NamedTuple):
    """The most a second, and who has that together."""

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
        """Whether anybody has such a quota; while nobody has, nobody need ask for more."""
        return bool(self._limits)

    def reconfigure(self, quotas: Mapping[Entity, Quotas]) -> None:
        """Go by *quotas* from now on; what was measured stays."""
        self._limits = {
            entity: values[self._key] for entity, values in quotas.items() if self._key in values
        }

    def record(self, client_id: str | None, amount: float) -> int:
        """Note what a client used, and return for how many milliseconds it must be throttled.

        A time of more than 31 bits loses the higher ones, as in Kafka: it may become short, or 0.
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
        """Forget what was recorded: the client did not get it."""
        limit = self._limit(client_id or "")
        if limit is not None:
            self._rate(limit).record(-amount, self._now_ms())

    def max_value_in_quota_window(self, client_id: str | None) -> float:
        """The most that a client may use without a pause if it has used nothing: or infinity."""
        limit = self._limit(client_id or "")
        if limit is None:
            return math.inf
        return limit.per_second * (self._windows - 1) * self._window_ms / 1000

    def remove_idle(self) -> None:
        """Forget the rates of clients that are gone."""
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
