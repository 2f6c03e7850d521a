"""Requests and responses of consumer groups, independent of the version of the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from broker.groups.consumer.member import LEAVING_EPOCH, LEAVING_STATIC_EPOCH, OwnedPartitions
from protocol.lazy_dataclass import dataclass

UNCHANGED_MS = -1


@dataclass(slots=True, kw_only=True)
class ConsumerGroupHeartbeat:
    """A ConsumerGroupHeartbeat request; None and -1 mean that a field is unchanged.

    ``is_topic_visible`` selects the topics that may match a regular expression; None selects all.
    """

    group_id: str
    member_id: str
    member_epoch: int
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = UNCHANGED_MS
    subscribed_topic_names: frozenset[str] | None = None
    subscribed_topic_regex: str | None = None
    server_assignor: str | None = None
    owned: Mapping[UUID, Sequence[int]] | None = None
    is_topic_visible: Callable[[str], bool] | None = None

    @property
    def is_joining(self) -> bool:
        """Whether the member joins, or joins again after it was fenced."""
        return self.member_epoch == 0

    @property
    def is_leaving(self) -> bool:
        """Whether the member leaves, possibly temporarily."""
        return self.member_epoch in (LEAVING_EPOCH, LEAVING_STATIC_EPOCH)

    @property
    def is_full(self) -> bool:
        """Whether it contains all fields, as after a failed request."""
        return (
            self.rebalance_timeout_ms != UNCHANGED_MS
            and (self.subscribed_topic_names is not None or self.subscribed_topic_regex is not None)
            and self.owned is not None
        )


@dataclass(slots=True, kw_only=True)
class ConsumerGroupHeartbeatResult:
    """A response; ``assigned`` is None if the assignment is unchanged."""

    member_id: str
    member_epoch: int
    heartbeat_interval_ms: int = 0
    assigned: OwnedPartitions | None = None
