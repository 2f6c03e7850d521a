"""Descriptions of the waits of group requests, which have no operation of their own (`Wait`)."""

from __future__ import annotations

from collections.abc import Callable

from broker.groups.time_limits import RebalanceLimit
from broker.wait_records.causes import Cause, CauseKind
from broker.wait_records.wait import Facts, Wait

# The limit of what the group of this id waits for.
Limits = Callable[[str], RebalanceLimit | None]
# The fault rules because of which a request waits, as the field ``faults``.
Rules = Callable[[], Facts]

_RESPONSE = Cause(CauseKind.COORDINATOR)


class GroupWait(Wait):
    """Waits for ``members`` of a group, or until what the group has written is ``stored``.

    ``group_id`` is None for a request that waits for several groups. *rules* returns the field
    ``faults``, or nothing.
    """

    __slots__ = ("_group_id", "_kind", "_rules", "_timeout_ms", "purgatory")

    def __init__(
        self,
        purgatory: str,
        kind: str,
        group_id: str | None,
        timeout_ms: int | None,
        rules: Rules = dict,
    ) -> None:
        self.purgatory = purgatory
        self._kind = kind
        self._group_id = group_id
        self._timeout_ms = timeout_ms
        self._rules = rules

    @property
    def timeout_ms(self) -> int | None:
        """See `Wait`."""
        return self._timeout_ms

    def condition(self) -> Facts:
        """The group; what it lacks has no counts."""
        return {"kind": self._kind, "group": self._group_id, **self._rules()}

    def cause(self, present: Callable[[], Cause]) -> Cause:
        """The event that completes the group's callback."""
        return present()


class MembersWait(GroupWait):
    """Waits for members until the phase of the group's rebalance ends: *limits* knows the time.

    Without such a phase, the timeout is the member's own, and what is left of it is unknown.
    """

    __slots__ = ("_limits", "_member_group")

    def __init__(self, limits: Limits, group_id: str, timeout_ms: int | None) -> None:
        super().__init__("Rebalance", "members", group_id, timeout_ms)
        self._limits = limits
        self._member_group = group_id

    @property
    def timeout_ms(self) -> int | None:
        """See `Wait`."""
        limit = self._limits(self._member_group)
        return self._timeout_ms if limit is None else limit.timeout_ms

    def remaining_ms(self, now_ms: float) -> int | None:
        """See `Wait`."""
        limit = self._limits(self._member_group)
        return None if limit is None else max(0, int(limit.expiration_ms - now_ms))


def members_wait(limits: Limits, group_id: str, timeout_ms: int | None = None) -> MembersWait:
    """Wait for members: a JoinGroup, and a SyncGroup of a member that does not lead the group."""
    return MembersWait(limits, group_id, timeout_ms)


def stored_wait(group_id: str | None, timeout_ms: int, rules: Rules = dict) -> GroupWait:
    """Wait until the replicas have the group's records, which *rules* may prevent."""
    return GroupWait("Produce", "stored", group_id, timeout_ms, rules)


class ShareCoordinatorWait(GroupWait):
    """Waits until share coordinators have read or changed the states of share partitions.

    It ends after the retries of the persister, whose time it does not know.
    """

    __slots__ = ()

    def __init__(self, group_id: str | None) -> None:
        super().__init__("Persister", "share_coordinator", group_id, None)

    def cause(self, _present: Callable[[], Cause]) -> Cause:
        """The last response, or the end of the retries."""
        return _RESPONSE
