"""The sync phase of a rebalance: the coordinator waits until every member has sent its SyncGroup.

    JoinGroup responses are sent --> SyncGroup of a, b ..... of c --> all received: complete
                                                      |
                              the rebalance timeout --+--> c is removed, and the group rebalances

It also completes when the generation ends. It sends no responses: the leader's assignment triggers
those. Without it a member that sends no SyncGroup would block the others forever (KAFKA-12890).
Kafka's group coordinator had it up to 3.9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation

G = TypeVar("G")
G_contra = TypeVar("G_contra", contravariant=True)


class SyncCoordinator(Protocol[G_contra]):
    """Keeps track of the members that have synced."""

    def try_complete_pending_sync(
        self, group: G_contra, generation_id: int, force_complete: Callable[[], bool]
    ) -> bool:
        """If no SyncGroup is outstanding return ``force_complete()``, else False."""
        ...

    def on_expire_pending_sync(self, group: G_contra, generation_id: int) -> None:
        """Remove the members that did not sync in time."""
        ...


class DelayedSync(DelayedOperation, Generic[G]):
    """Waits for the SyncGroup requests of one generation."""

    __slots__ = ("_coordinator", "_generation_id", "_group")

    def __init__(
        self,
        coordinator: SyncCoordinator[G],
        group: G,
        generation_id: int,
        rebalance_timeout_ms: float,
    ) -> None:
        super().__init__(rebalance_timeout_ms)
        self._coordinator = coordinator
        self._group = group
        self._generation_id = generation_id

    def try_complete(self) -> bool:
        """Call the coordinator's ``try_complete_pending_sync``."""
        return self._coordinator.try_complete_pending_sync(
            self._group, self._generation_id, self.force_complete
        )

    def on_complete(self) -> None:
        """Do nothing: the operation sends no response."""

    def on_expiration(self) -> None:
        """Call the coordinator's ``on_expire_pending_sync``."""
        self._coordinator.on_expire_pending_sync(self._group, self._generation_id)
