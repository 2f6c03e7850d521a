"""Heartbeats of streams groups with many tasks, computed in a worker thread."""

from __future__ import annotations

from broker.groups.group_states import AnyGroup
from broker.groups.streams.coordinator import StreamsGroupCoordinator
from broker.groups.streams.heartbeat import PreparedHeartbeat
from broker.groups.streams.requests import StreamsGroupHeartbeat, StreamsGroupHeartbeatResult


class LongStreamsHeartbeat:
    """The change by a heartbeat whose member does not leave (a `GroupChange`)."""

    def __init__(
        self, coordinator: StreamsGroupCoordinator, request: StreamsGroupHeartbeat
    ) -> None:
        self.group_id = request.group_id
        self._coordinator = coordinator
        self._request = request

    def check(self) -> None:
        """See `GroupChange`."""
        self._coordinator.check(self._request)

    def can_prepare(self, group: AnyGroup | None) -> bool:  # noqa: ARG002 - see `GroupChange`
        """A group of another protocol is refused, unless it is a classic one without members."""
        return True

    def prepare(self, group: AnyGroup | None) -> PreparedHeartbeat:
        """See `GroupChange`."""
        prepared = self._coordinator.prepare(group, self._request)
        prepared.draft.serialize()
        return prepared

    def apply(self, prepared: PreparedHeartbeat) -> StreamsGroupHeartbeatResult:
        """See `GroupChange`."""
        return self._coordinator.apply(prepared)
