"""Heartbeats in large groups, whose changes are computed in a worker thread.

    snapshot of the group --prepare, in a thread--> draft --unchanged?--> write, on the loop
            ^-------------------------------------------- no ----'

A coordinated `ConsumerGroup` is replaced and never changed, so it is a snapshot. One long heartbeat
of a group runs at a time, because each would invalidate the work of the others.
"""

from __future__ import annotations

from functools import partial

from broker.groups.classic.group import ClassicGroup
from broker.groups.consumer.coordinator import ConsumerGroupCoordinator, PreparedHeartbeat
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.group_locks import GroupLocks
from broker.groups.consumer.requests import ConsumerGroupHeartbeat, ConsumerGroupHeartbeatResult
from broker.groups.consumer.workload import ITEMS_AT_ONCE_MAX, has_more_items
from broker.groups.group_states import GroupStates
from broker.groups.share.group import ShareGroup
from broker.steps.offload import Offload
from broker.steps.offloaded import offloaded
from broker.steps.queue import Slices

# After so many attempts, in all of which the group has changed, a heartbeat is handled at once.
_ATTEMPTS_MAX = 5


class LongHeartbeats:
    """Handles heartbeats of groups with many members, topics or partitions."""

    def __init__(
        self, consumers: ConsumerGroupCoordinator, states: GroupStates, offload: Offload
    ) -> None:
        self._consumers = consumers
        self._states = states
        self._offload = offload
        self._locks = GroupLocks()
        # A heartbeat of more items is long.
        self.items_at_once_max = ITEMS_AT_ONCE_MAX

    def is_long(self, request: ConsumerGroupHeartbeat) -> bool:
        """Whether a heartbeat may take longer than a slice; only those of consumer groups do."""
        group = self._states.groups.get(request.group_id)
        if request.is_leaving or isinstance(group, ClassicGroup | ShareGroup):
            return False
        consumers = self._consumers
        if group is not None and consumers.subscriptions.is_settled(group, request):
            return False
        return has_more_items(group, request, consumers.topics, self.items_at_once_max)

    def heartbeat(
        self, request: ConsumerGroupHeartbeat, api_version: int
    ) -> Slices[ConsumerGroupHeartbeatResult]:
        """Handle a heartbeat as `ConsumerGroupCoordinator.heartbeat`; raises `ApiError`.

        The change is prepared again if the group or the topics have changed meanwhile.
        """
        group_id, groups = request.group_id, self._states.groups
        topics = self._consumers.topics
        yield from self._locks.acquire(group_id)
        try:
            for _ in range(_ATTEMPTS_MAX):
                self._consumers.check(request, api_version)
                group, version = groups.get(group_id), topics.version
                if isinstance(group, ClassicGroup | ShareGroup):
                    break
                work = partial(self._prepare, group, request)
                prepared = yield from offloaded(self._offload, work)
                if groups.get(group_id) is group and topics.version == version:
                    return self._consumers.apply(request, prepared)
        finally:
            self._locks.release(group_id)
        return self._consumers.heartbeat(request, api_version)

    def _prepare(
        self, group: ConsumerGroup | None, request: ConsumerGroupHeartbeat
    ) -> PreparedHeartbeat:
        prepared = self._consumers.prepare(group, request)
        prepared.draft.serialize()
        return prepared
