"""The quota ``controller_mutation_rate``: partitions created and deleted (KIP-599).

A client may create and delete the partitions of some seconds at once
(``controller.quota.window.num`` and ``.size.seconds``): as long as there is a token, whatever the
number of partitions. Then it is throttled until the excess is refilled. Newer versions of requests
are refused meanwhile (*strict*); those before are processed, and their clients are muted
(*permissive*).
"""

from __future__ import annotations

from collections.abc import Iterator

from broker.common.errors import ApiError
from broker.common.java_numbers import round_to_long
from broker.config import Config
from broker.quotas.client_limits import ClientLimits, Limit, Sharing
from broker.quotas.client_quota_manager import IDLE_MS
from broker.quotas.entity import CONTROLLER_MUTATION_RATE, Entity, Quotas
from broker.quotas.rate import Rate
from broker.quotas.throttle import Throttle
from broker.quotas.token_bucket import TokenBucket
from broker.quotas.usage import ThrottleTimes, Usage
from protocol.errors import ErrorCode

_INT32_MAX = 2**31 - 1


class _Measured:
    """The partitions of the clients that share a quota."""

    __slots__ = ("bucket", "per_second", "rate", "throttle_times")

    def __init__(self, windows: int, window_s: int) -> None:
        self.per_second = 0.0  # the limit at the last use
        self.bucket = TokenBucket(windows * window_s)
        self.rate = Rate(windows, window_s * 1000)
        self.throttle_times = ThrottleTimes(windows, window_s * 1000)


class ControllerMutationQuota:
    """The quota of one request (``ControllerMutationQuota``).

    ``throttle``: that of its client, after the quota was exceeded.
    """

    def __init__(
        self, limit: Limit, measured: _Measured, now_ms: float, *, is_strict: bool
    ) -> None:
        self.throttle: Throttle | None = None
        self._limit = limit
        self._measured = measured
        self._now_ms = now_ms
        self._is_strict = is_strict

    def record(self, partitions: int) -> None:
        """Record partitions that are about to be created or deleted.

        Raises `ApiError` THROTTLING_QUOTA_EXCEEDED if the request is strict and its client has
        exceeded the quota before; then the partitions are not recorded.
        """
        if self._is_strict and self._is_exceeded():
            raise ApiError(ErrorCode.THROTTLING_QUOTA_EXCEEDED)
        self._measured.bucket.record(partitions, self._limit.per_second, self._now_ms)
        self._measured.rate.record(partitions, self._now_ms)
        if not self._is_strict:
            self._is_exceeded()

    def _is_exceeded(self) -> bool:
        per_second, now_ms = self._limit.per_second, self._now_ms
        tokens = self._measured.bucket.tokens(per_second, now_ms)
        if not tokens < 0:  # also if the limit is not a number, which Kafka allows
            return False
        time_ms = min(round_to_long(-tokens / per_second * 1000), _INT32_MAX)
        self._measured.throttle_times.record(time_ms, now_ms)
        rate = self._measured.rate.per_second(now_ms)
        if time_ms:  # it is 0 if the excess is too small
            entity = self._limit.entity
            self.throttle = Throttle(time_ms, CONTROLLER_MUTATION_RATE, entity, rate, per_second)
        return True


class ControllerMutationQuotaManager:
    """The quotas of clients that change topics.

    ``quotas_enabled``: whether any such quota is set.
    """

    def __init__(self, config: Config) -> None:
        self.quotas_enabled = False
        self._windows = config.controller_quota_window_num
        self._window_s = config.controller_quota_window_size_seconds
        self._limits = ClientLimits(CONTROLLER_MUTATION_RATE)
        self._measured: dict[Sharing, _Measured] = {}

    def put(self, entity: Entity, quotas: Quotas) -> None:
        """Apply the quotas of *entity* from now on; what clients have used stays."""
        self._limits.put(entity, quotas)
        self.quotas_enabled = bool(self._limits)

    def reset(self) -> None:
        """Remove all quotas, and forget what clients have used."""
        self._measured.clear()
        self._limits.clear()
        self.quotas_enabled = False

    def quota_of(
        self, user: str, client_id: str | None, now_ms: float, *, is_strict: bool
    ) -> ControllerMutationQuota | None:
        """The quota of a request at that time; None if its client has none."""
        limit = self._limits.of(user, client_id)
        if limit is None:
            return None
        measured = self._measured.get(limit.shared_by)
        if measured is None:
            measured = _Measured(self._windows, self._window_s)
            self._measured[limit.shared_by] = measured
        measured.per_second = limit.per_second
        return ControllerMutationQuota(limit, measured, now_ms, is_strict=is_strict)

    def usage(self, now_ms: float) -> Iterator[Usage]:
        """What was measured of each client, or of all clients that share a quota."""
        for sharing, measured in self._measured.items():
            rate, times = measured.rate.per_second(now_ms), measured.throttle_times
            tokens = measured.bucket.tokens(measured.per_second, now_ms)
            yield Usage(*sharing, rate, times.mean_ms(now_ms), tokens)

    def remove_idle(self, now_ms: float) -> None:
        """Remove what was measured of clients that are inactive for an hour."""
        self._measured = {
            each: measured
            for each, measured in self._measured.items()
            if not measured.bucket.is_idle(now_ms, IDLE_MS)
        }
