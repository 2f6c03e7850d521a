"""Begins and ends the coordination of groups: those of a partition in slices, others at once.

While a partition is adopted or dropped, its requests are refused and no record of its groups can be
appended. A timeout of a member may expire meanwhile: it is one that the log refuses.
"""

from __future__ import annotations

from broker.groups.classic.coordinator import ClassicGroupCoordinator
from broker.groups.classic.group import ClassicGroup
from broker.groups.consumer.coordinator import ConsumerGroupCoordinator
from broker.groups.group_states import AnyGroup, GroupStates
from broker.groups.share.coordinator import ShareGroupCoordinator
from broker.groups.share.group import ShareGroup
from broker.groups.streams.coordinator import StreamsGroupCoordinator
from broker.groups.streams.group import StreamsGroup
from broker.steps.queue import Slices
from protocol.errors import ErrorCode


class GroupLifecycle:
    """The groups of a node; the coordinators have what waits for members."""

    def __init__(
        self,
        states: GroupStates,
        classic: ClassicGroupCoordinator,
        consumers: ConsumerGroupCoordinator,
        share: ShareGroupCoordinator,
        streams: StreamsGroupCoordinator,
    ) -> None:
        self._states = states
        self._classic = classic
        self._consumers = consumers
        self._share = share
        self._streams = streams

    def adopt(self, partition: int, loaded: GroupStates) -> Slices[None]:
        """Add the groups of a partition, and begin the sessions of their members."""
        assert not self._states.ids(partition), "the groups of the last leadership are dropped"
        for group in list(loaded.groups.values()):
            if self._states.partition_for(group.group_id) == partition:
                yield from self._states.adopt(group, loaded)
                self._start(group)
            else:  # no request about the group reaches this partition
                loaded.remove(group.group_id)
            yield None

    def on_replicated(self, loaded: GroupStates) -> Slices[None]:
        """Note that the offsets of adopted groups are replicated."""
        return self._states.note_replicated(loaded)

    def drop(self, partition: int) -> Slices[None]:
        """Remove the groups of a partition; waiting requests get NOT_COORDINATOR."""
        for group_id in list(self._states.ids(partition)):
            self.retire(self._states.groups[group_id], ErrorCode.NOT_COORDINATOR)
            self._states.remove(group_id)
            yield None
        assert not self._states.ids(partition), "no request adds a group"

    def retire(self, group: AnyGroup, refusal: ErrorCode) -> None:
        """End the timeouts of a group; waiting requests of a classic one get *refusal*."""
        if isinstance(group, ClassicGroup):
            self._classic.retire(group, refusal)
        elif isinstance(group, ShareGroup):
            self._share.retire(group)
        elif isinstance(group, StreamsGroup):
            self._streams.retire(group)
        else:
            self._consumers.retire(group)

    def _start(self, group: AnyGroup) -> None:
        if isinstance(group, ClassicGroup):
            self._classic.start(group, None)
        elif isinstance(group, ShareGroup):
            self._share.on_loaded(group)
        elif isinstance(group, StreamsGroup):
            self._streams.on_loaded(group)
        else:
            self._consumers.on_loaded(group)
