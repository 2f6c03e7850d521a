"""The limit of the replication of throttled replicas (Kafka's ``ReplicationQuotaManager``).

A node has one as a leader and one as a follower. A key of the node is the rate, in bytes per
second, and a key of a topic names the replicas to which it applies:

    leader.replication.throttled.rate      leader.replication.throttled.replicas
    follower.replication.throttled.rate    follower.replication.throttled.replicas

While the rate is exceeded, throttled replicas that are not in sync do not get records. The bytes of
all throttled replicas count, also of those in sync.

Deviation: what a leader sends before its rate is set does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from broker.config import Config
from broker.quotas.simple_rate import SimpleRate

_ALL: Final = ("*",)
_MS_PER_SECOND: Final = 1000


class ReplicationQuota:
    """The limit of a node; *rate_key* is the key of the rate."""

    __slots__ = ("_config", "_node_id", "_now_ms", "_rate", "_rate_key")

    def __init__(
        self, node_id: int, config: Config, now_ms: Callable[[], float], rate_key: str
    ) -> None:
        self._node_id = node_id
        self._config = config
        self._now_ms = now_ms
        self._rate_key = rate_key
        self._rate = SimpleRate(
            config.replication_quota_window_num,
            config.replication_quota_window_size_seconds * _MS_PER_SECOND,
        )

    @property
    def bytes_per_second(self) -> int | None:
        """The limit; None if there is none."""
        config = self._config
        text = config.dynamic_broker.get(self._rate_key)
        if text is None:
            text = config.dynamic_default.get(self._rate_key)
        return None if text is None else int(text)

    @property
    def is_exceeded(self) -> bool:
        """Whether throttled replicas that are not in sync have to wait."""
        limit = self.bytes_per_second
        return limit is not None and self._rate.per_second(self._now_ms()) > limit

    def applies_to(self, replicas: tuple[str, ...], partition: int) -> bool:
        """Whether *replicas*, a topic's value, has the replica of *partition* on this node."""
        if not replicas:
            return False
        return replicas == _ALL or any(
            (partition, self._node_id) == _replica(each) for each in replicas if each
        )

    def record(self, size: int) -> None:
        """Count the bytes of throttled replicas."""
        self._rate.record(size, self._now_ms())


def _replica(entry: str) -> tuple[int, int]:
    partition, _, node = entry.partition(":")
    return int(partition), int(node)
