"""The join phase of a rebalance: the group waits until every known member has rejoined.

    DelayedJoin         completes when all have joined, or at the rebalance timeout with those that
                        have
    InitialDelayedJoin  completes only by time: an empty group waits for more members, and waits
                        again while new ones join and time remains

These are operations of the group coordinator's purgatory in Kafka up to 3.9.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation
from ..purgatory import DelayedOperationPurgatory

G = TypeVar("G")
G_contra = TypeVar("G_contra", contravariant=True)


class JoinCoordinator(Protocol[G_contra]):
    """Keeps track of the members of groups."""

    def try_complete_join(self, group: G_contra, force_complete: Callable[[], bool]) -> bool:
        """If all members have joined return ``force_complete()``, else False."""
        ...

    def on_complete_join(self, group: G_contra) -> None:
        """Begin the next generation with the members that have joined."""
        ...

    def on_expire_join(self) -> None:
        """Drain the action queue: the completion may have appended records."""
        ...


class JoiningGroup(Protocol):
    """The state of a group that an initial rebalance uses."""

    new_member_added: bool

    @property
    def join_key(self) -> Hashable:
        """The key that joins of this group wait on."""
        ...


JG = TypeVar("JG", bound=JoiningGroup)


class DelayedJoin(DelayedOperation, Generic[G]):
    """Waits for the members of *group*."""

    __slots__ = ("_coordinator", "_group")

    def __init__(
        self, coordinator: JoinCoordinator[G], group: G, rebalance_timeout_ms: float
    ) -> None:
        super().__init__(rebalance_timeout_ms)
        self._coordinator = coordinator
        self._group = group

    @property
    def longest_extension_ms(self) -> float:
        """How long the join may last after this operation has expired."""
        return 0

    def try_complete(self) -> bool:
        """Call the coordinator's ``try_complete_join``."""
        return self._coordinator.try_complete_join(self._group, self.force_complete)

    def on_complete(self) -> None:
        """Call the coordinator's ``on_complete_join``."""
        self._coordinator.on_complete_join(self._group)

    def on_expiration(self) -> None:
        """Call the coordinator's ``on_expire_join``."""
        self._coordinator.on_expire_join()


class InitialDelayedJoin(DelayedJoin[JG]):
    """Waits ``delay_ms`` for more members, and at most ``remaining_ms`` after that."""

    __slots__ = ("_configured_rebalance_delay_ms", "_purgatory", "_remaining_ms")

    def __init__(
        self,
        coordinator: JoinCoordinator[JG],
        purgatory: DelayedOperationPurgatory[Any],
        group: JG,
        configured_rebalance_delay_ms: float,
        delay_ms: float,
        remaining_ms: float,
    ) -> None:
        super().__init__(coordinator, group, delay_ms)
        self._purgatory = purgatory
        self._configured_rebalance_delay_ms = configured_rebalance_delay_ms
        self._remaining_ms = remaining_ms

    @property
    def longest_extension_ms(self) -> float:
        """How long the join may last after this operation, if members join until then."""
        return self._remaining_ms

    def try_complete(self) -> bool:
        """Return False: only the timer completes it."""
        return False

    def on_complete(self) -> None:
        """Wait again if a member joined meanwhile and time remains, else complete the join."""
        group = self._group
        if not group.new_member_added or self._remaining_ms <= 0:
            super().on_complete()
            return
        group.new_member_added = False
        delay_ms = min(self._configured_rebalance_delay_ms, self._remaining_ms)
        again = InitialDelayedJoin(
            self._coordinator,
            self._purgatory,
            group,
            self._configured_rebalance_delay_ms,
            delay_ms,
            max(self._remaining_ms - self.delay_ms, 0),
        )
        again.on_error = self.on_error
        self._purgatory.try_complete_else_watch(again, (group.join_key,))
