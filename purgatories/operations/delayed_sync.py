"""A rebalance's second half: the coordinator waits until every member has sent its SyncGroup.

    JoinGroup answers go out --> SyncGroup of a, b ........ of c --> all are in: complete
                                                     |
                             the rebalance timeout --+--> c is removed, and the group rebalances

It completes as well when the generation is over. Nobody is answered by this operation: the leader's
assignment does that. KAFKA-12890: without it a member that stays away holds up the others for ever.
Kafka's group coordinator had it up to 3.9.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation

G = TypeVar("G")
G_contra = TypeVar("G_contra", contravariant=True)


class SyncCoordinator(Protocol[G_contra]):
    """Who knows which members have synced."""

    def try_complete_pending_sync(
        self, group: G_contra, generation_id: int, force_complete: Callable[[], bool]
    ) -> bool:
        """If nobody is waited for return ``force_complete()``, else False."""
        ...

    def on_expire_pending_sync(self, group: G_contra, generation_id: int) -> None:
        """Remove those who did not sync in time."""
        ...


class DelayedSync(DelayedOperation, Generic[G]):
    """Waits for the SyncGroups of one generation."""

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
        """Leave it to the coordinator."""
        return self._coordinator.try_complete_pending_sync(
            self._group, self._generation_id, self.force_complete
        )

    def on_complete(self) -> None:
        """Nobody waits for the operation itself."""

    def on_expiration(self) -> None:
        """Tell the coordinator that time is up."""
        self._coordinator.on_expire_pending_sync(self._group, self._generation_id)
