"""Heartbeats in large consumer groups, whose changes are computed in a worker thread."""

from __future__ import annotations

from broker.groups.classic.group import ClassicGroup
from broker.groups.consumer.coordinator import ConsumerGroupCoordinator, PreparedHeartbeat
from broker.groups.consumer.requests import ConsumerGroupHeartbeat, ConsumerGroupHeartbeatResult
from broker.groups.consumer.workload import ITEMS_AT_ONCE_MAX, has_more_items
from broker.groups.group_states import AnyGroup, GroupStates
from broker.groups.share.group import ShareGroup
from broker.groups.snapshot_changes import SnapshotChanges
from broker.groups.streams.group import StreamsGroup
from broker.steps.queue import Slices


class LongHeartbeats:
    """Handles heartbeats of groups with many members, topics or partitions."""

    def __init__(
        self, consumers: ConsumerGroupCoordinator, states: GroupStates, changes: SnapshotChanges
    ) -> None:
        self._consumers = consumers
        self._states = states
        self._changes = changes
        # A heartbeat of more items is long.
        self.items_at_once_max = ITEMS_AT_ONCE_MAX

    def is_long(self, request: ConsumerGroupHeartbeat) -> bool:
        """Whether a heartbeat may take longer than a slice; only those of consumer groups do."""
        group = self._states.groups.get(request.group_id)
        if request.is_leaving or isinstance(group, ClassicGroup | ShareGroup | StreamsGroup):
            return False
        consumers = self._consumers
        if group is not None and consumers.subscriptions.is_settled(group, request):
            return False
        return has_more_items(group, request, consumers.topics, self.items_at_once_max)

    def heartbeat(
        self, request: ConsumerGroupHeartbeat, api_version: int
    ) -> Slices[ConsumerGroupHeartbeatResult]:
        """Handle a heartbeat as `ConsumerGroupCoordinator.heartbeat`; raises `ApiError`."""
        return self._changes.run(_Heartbeat(self._consumers, request, api_version))


class _Heartbeat:
    """The change by a heartbeat (a `GroupChange`)."""

    def __init__(
        self, consumers: ConsumerGroupCoordinator, request: ConsumerGroupHeartbeat, api_version: int
    ) -> None:
        self.group_id = request.group_id
        self._consumers = consumers
        self._request = request
        self._api_version = api_version

    def check(self) -> None:
        """See `GroupChange`."""
        self._consumers.check(self._request, self._api_version)

    def can_prepare(self, group: AnyGroup | None) -> bool:
        """The conversion of a classic group responds to waiting members."""
        return not isinstance(group, ClassicGroup | ShareGroup | StreamsGroup)

    def prepare(self, group: AnyGroup | None) -> PreparedHeartbeat:
        """See `GroupChange`."""
        prepared = self._consumers.prepare(group, self._request)
        prepared.draft.serialize()
        return prepared

    def apply(self, prepared: PreparedHeartbeat) -> ConsumerGroupHeartbeatResult:
        """See `GroupChange`."""
        return self._consumers.apply(self._request, prepared)
