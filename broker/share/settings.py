"""The settings of a share group that the leaders of its partitions use."""

from __future__ import annotations

from typing import Protocol

from broker.config.groups import (
    SHARE_AUTO_OFFSET_RESET,
    SHARE_DELIVERY_COUNT_LIMIT,
    SHARE_ISOLATION_LEVEL,
    SHARE_PARTITION_MAX_RECORD_LOCKS,
    SHARE_RECORD_LOCK_DURATION,
    SHARE_RENEW_ACKNOWLEDGE_ENABLE,
    GroupConfigs,
)
from broker.replication.fetch_data import FetchIsolation


class ShareGroupSettings(Protocol):
    """The settings of one group, read at each use, since they may change at any time."""

    @property
    def record_lock_duration_ms(self) -> int:
        """How long a member may keep records (``share.record.lock.duration.ms``)."""
        ...

    @property
    def delivery_count_limit(self) -> int:
        """How often a record is delivered at most (``share.delivery.count.limit``)."""
        ...

    @property
    def partition_max_record_locks(self) -> int:
        """The most in-flight records of a partition (``share.partition.max.record.locks``)."""
        ...

    @property
    def renew_acknowledge_enable(self) -> bool:
        """Whether members may renew locks (``share.renew.acknowledge.enable``)."""
        ...

    @property
    def isolation(self) -> FetchIsolation:
        """How far the members read (``share.isolation.level``)."""
        ...

    @property
    def auto_offset_reset(self) -> str:
        """Where the group begins in a new partition (``share.auto.offset.reset``)."""
        ...


class ConfiguredSettings:
    """The settings of the group *group_id* in *configs* (`ShareGroupSettings`)."""

    __slots__ = ("_configs", "_group_id")

    def __init__(self, configs: GroupConfigs, group_id: str) -> None:
        self._configs = configs
        self._group_id = group_id

    @property
    def record_lock_duration_ms(self) -> int:
        """See `ShareGroupSettings`."""
        return self._configs.number(self._group_id, SHARE_RECORD_LOCK_DURATION)

    @property
    def delivery_count_limit(self) -> int:
        """See `ShareGroupSettings`."""
        return self._configs.number(self._group_id, SHARE_DELIVERY_COUNT_LIMIT)

    @property
    def partition_max_record_locks(self) -> int:
        """See `ShareGroupSettings`."""
        return self._configs.number(self._group_id, SHARE_PARTITION_MAX_RECORD_LOCKS)

    @property
    def renew_acknowledge_enable(self) -> bool:
        """See `ShareGroupSettings`."""
        return bool(self._configs.value(self._group_id, SHARE_RENEW_ACKNOWLEDGE_ENABLE))

    @property
    def isolation(self) -> FetchIsolation:
        """See `ShareGroupSettings`."""
        level = self._configs.value(self._group_id, SHARE_ISOLATION_LEVEL)
        is_committed = level == "read_committed"
        return FetchIsolation.TXN_COMMITTED if is_committed else FetchIsolation.HIGH_WATERMARK

    @property
    def auto_offset_reset(self) -> str:
        """See `ShareGroupSettings`."""
        return str(self._configs.value(self._group_id, SHARE_AUTO_OFFSET_RESET))
