"""The node of a fetcher, as the fetcher uses it."""

from __future__ import annotations

from typing import Protocol

from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.controller.metadata.image import Broker
from broker.network.inter_broker.link import Link
from broker.quotas.replication_quota import ReplicationQuota
from purgatories.timer.system_timer import SystemTimer


class FollowerNode(Protocol):
    """What a fetcher needs from its node."""

    node_id: int
    config: Config
    timer: SystemTimer
    follower_quota: ReplicationQuota

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        ...

    def alive(self, node_id: int) -> Broker | None:
        """The node in the metadata; None if it is fenced or unknown."""
        ...

    @property
    def paused(self) -> bool:
        """Whether the node is paused."""
        ...

    async def wait_until_resumed(self) -> None:
        """Wait until the node is not paused."""
        ...

    def link_to(self, node_id: int) -> Link:
        """The link to another node."""
        ...

    def replicated(self, key: TopicPartition, high_watermark: int) -> None:
        """The high watermark of a followed partition has moved."""
        ...
