"""A member's session: it ends unless a heartbeat arrives within the session timeout.

    heartbeat --> the operation completes --> a new one is scheduled --> heartbeat --> ...
                                                    |
                                                    +--> timeout: the member is removed
With ``is_pending`` it watches a member id that was issued and has not joined yet (KIP-394).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation

G = TypeVar("G")
G_contra = TypeVar("G_contra", contravariant=True)


class HeartbeatCoordinator(Protocol[G_contra]):
    """Keeps track of the heartbeats of members."""

    def try_complete_heartbeat(
        self,
        group: G_contra,
        member_id: str,
        is_pending: bool,
        force_complete: Callable[[], bool],
    ) -> bool:
        """If the member sent a heartbeat or was removed return ``force_complete()``, else False."""
        ...

    def on_expire_heartbeat(self, group: G_contra, member_id: str, is_pending: bool) -> None:
        """Remove the member."""
        ...


class DelayedHeartbeat(DelayedOperation, Generic[G]):
    """Waits for the next heartbeat of a member."""

    __slots__ = ("_coordinator", "group", "is_pending", "member_id")

    def __init__(
        self,
        coordinator: HeartbeatCoordinator[G],
        group: G,
        member_id: str,
        is_pending: bool,
        timeout_ms: float,
    ) -> None:
        super().__init__(timeout_ms)
        self._coordinator = coordinator
        self.group = group
        self.member_id = member_id
        self.is_pending = is_pending

    def try_complete(self) -> bool:
        """Call the coordinator's ``try_complete_heartbeat``."""
        return self._coordinator.try_complete_heartbeat(
            self.group, self.member_id, self.is_pending, self.force_complete
        )

    def on_complete(self) -> None:
        """Do nothing: a completed session needs no response."""

    def on_expiration(self) -> None:
        """Call the coordinator's ``on_expire_heartbeat``."""
        self._coordinator.on_expire_heartbeat(self.group, self.member_id, self.is_pending)
