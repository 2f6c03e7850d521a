"""Descriptions of the waits of group requests, which have no operation of their own (`Wait`)."""

from __future__ import annotations

from collections.abc import Callable

from broker.wait_records.causes import Cause
from broker.wait_records.wait import Facts, Wait


class GroupWait(Wait):
    """Waits for ``members`` of a group, or until what the group has written is ``stored``.

    ``group_id`` is None for a request that waits for several groups.
    """

    __slots__ = ("_group_id", "_kind", "_timeout_ms", "purgatory")

    def __init__(
        self, purgatory: str, kind: str, group_id: str | None, timeout_ms: int | None
    ) -> None:
        self.purgatory = purgatory
        self._kind = kind
        self._group_id = group_id
        self._timeout_ms = timeout_ms

    @property
    def timeout_ms(self) -> int | None:
        """See `Wait`."""
        return self._timeout_ms

    def condition(self) -> Facts:
        """The group; what it lacks has no counts."""
        return {"kind": self._kind, "group": self._group_id}

    def cause(self, present: Callable[[], Cause]) -> Cause:
        """The event that completes the group's callback."""
        return present()


def members_wait(group_id: str, timeout_ms: int | None = None) -> GroupWait:
    """Wait for members: a JoinGroup, and a SyncGroup of a member that does not lead the group."""
    return GroupWait("Rebalance", "members", group_id, timeout_ms)


def stored_wait(group_id: str | None, timeout_ms: int) -> GroupWait:
    """Wait until the replicas have the group's records."""
    return GroupWait("Produce", "stored", group_id, timeout_ms)
