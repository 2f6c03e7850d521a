"""Heartbeats of share groups with many topic names, computed in a worker thread."""

from __future__ import annotations

from broker.groups.group_states import AnyGroup
from broker.groups.share.coordinator import PreparedShareHeartbeat, ShareGroupCoordinator
from broker.groups.share.requests import ShareGroupHeartbeat, ShareGroupHeartbeatResult


class LongShareHeartbeat:
    """The change by a heartbeat whose member does not leave (a `GroupChange`)."""

    def __init__(self, coordinator: ShareGroupCoordinator, request: ShareGroupHeartbeat) -> None:
        self.group_id = request.group_id
        self._coordinator = coordinator
        self._request = request

    def check(self) -> None:
        """See `GroupChange`."""
        self._coordinator.check(self._request)

    def can_prepare(self, group: AnyGroup | None) -> bool:  # noqa: ARG002 - see `GroupChange`
        """A group of another protocol is refused."""
        return True

    def prepare(self, group: AnyGroup | None) -> PreparedShareHeartbeat:
        """See `GroupChange`."""
        prepared = self._coordinator.prepare(group, self._request)
        prepared.draft.serialize()
        return prepared

    def apply(self, prepared: PreparedShareHeartbeat) -> ShareGroupHeartbeatResult:
        """See `GroupChange`."""
        return self._coordinator.apply(prepared)
