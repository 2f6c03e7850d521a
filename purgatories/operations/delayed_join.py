"""A rebalance's first half: the group waits until every known member has joined again.

    DelayedJoin         completes when all are there, or after the rebalance timeout with those who
                        are
    InitialDelayedJoin  never completes early: an empty group waits a little for more members, and
                        again as long as new ones keep coming and time remains

The group coordinator's purgatory operations as Kafka had them up to 3.9.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, Protocol, TypeVar

from ..delayed_operation import DelayedOperation
from ..purgatory import DelayedOperationPurgatory

G = TypeVar("G")
G_contra = TypeVar("G_contra", contravariant=True)


class JoinCoordinator(Protocol[G_contra]):
    """Who knows the group's members."""

    def try_complete_join(self, group: G_contra, force_complete: Callable[[], bool]) -> bool:
        """If all members have joined return ``force_complete()``, else False."""
        ...

    def on_complete_join(self, group: G_contra) -> None:
        """Begin the next generation with those who joined."""
        ...

    def on_expire_join(self) -> None:
        """Drain the action queue: completing may have appended records."""
        ...


class JoiningGroup(Protocol):
    """What a first rebalance has to know of its group."""

    new_member_added: bool

    @property
    def join_key(self) -> Hashable:
        """The key joins of this group wait on."""
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

    def try_complete(self) -> bool:
        """Leave it to the coordinator."""
        return self._coordinator.try_complete_join(self._group, self.force_complete)

    def on_complete(self) -> None:
        """Go on with whoever has joined."""
        self._coordinator.on_complete_join(self._group)

    def on_expiration(self) -> None:
        """Do what no request is there to do."""
        self._coordinator.on_expire_join()


class InitialDelayedJoin(DelayedJoin[JG]):
    """Waits ``delay_ms`` for more members; ``remaining_ms`` is what it may wait after that."""

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

    def try_complete(self) -> bool:
        """Only time completes it."""
        return False

    def on_complete(self) -> None:
        """Wait again if somebody came and time remains, else go on."""
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
