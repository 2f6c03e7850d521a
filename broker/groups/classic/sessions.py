"""Sessions: every member is heard of in time, or it is thrown out.

Each sign of life completes the member's `DelayedHeartbeat` and starts the next one; one that
expires means silence. A member whose join or sync is parked needs no heartbeat: an operation that
expires meanwhile means nothing, and the next one starts when the request is answered. Ids given out
under KIP-394 are watched in the same way until their owners come back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import DEAD
from broker.groups.classic.member import ClassicGroupMember, MemberKey
from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_heartbeat import DelayedHeartbeat
from purgatories.purgatory import DelayedOperationPurgatory


class SessionListener(Protocol):
    """Who is told of silence."""

    def on_member_expired(self, group: ClassicGroup, member: ClassicGroupMember) -> None:
        """A member was not heard of within its session timeout."""
        ...

    def on_pending_member_expired(self, group: ClassicGroup, member_id: str) -> None:
        """An id that was given out was not used within the session timeout."""
        ...


class Sessions:
    """The heartbeat purgatory and what its operations ask (Kafka's heartbeat coordinator)."""

    def __init__(
        self,
        purgatory: DelayedOperationPurgatory[Any],
        actions: ActionQueue,
        listener: SessionListener,
    ) -> None:
        self._purgatory = purgatory
        self._actions = actions
        self._listener = listener

    def reschedule(
        self, group: ClassicGroup, member: ClassicGroupMember, timeout_ms: int | None = None
    ) -> None:
        """Begin the member's session anew; it lasts its session timeout unless told otherwise."""
        member.heartbeat_satisfied = True
        self._purgatory.check_and_complete(member.key)
        member.heartbeat_satisfied = False
        if timeout_ms is None:
            timeout_ms = member.session_timeout_ms
        operation = DelayedHeartbeat(self, group, member.member_id, False, timeout_ms)
        self._purgatory.try_complete_else_watch(operation, (member.key,))

    def schedule_pending(self, group: ClassicGroup, member_id: str, timeout_ms: int) -> None:
        """Wait for the owner of an id that was just given out."""
        operation = DelayedHeartbeat(self, group, member_id, True, timeout_ms)
        key = MemberKey(group.group_id, member_id)
        self._purgatory.try_complete_else_watch(operation, (key,))

    def cancel(self, group: ClassicGroup, member_id: str) -> None:
        """End the session of somebody the group has just removed, or of a dead group's member."""
        assert member_id not in group.members or group.state is DEAD
        self._purgatory.check_and_complete(MemberKey(group.group_id, member_id))

    # ------------------------------------------------------------- asked by DelayedHeartbeat

    def try_complete_heartbeat(
        self,
        group: ClassicGroup,
        member_id: str,
        is_pending: bool,
        force_complete: Callable[[], bool],
    ) -> bool:
        """Complete if there is nothing left to hear of this member."""
        if is_pending:
            wanted = member_id in group.pending_join_members
        else:
            member = group.members.get(member_id)
            wanted = member is not None and not member.has_satisfied_heartbeat
        if wanted and group.state is not DEAD:
            return False
        return force_complete()

    def on_expire_heartbeat(self, group: ClassicGroup, member_id: str, is_pending: bool) -> None:
        """Expire the member, unless it was removed or heard of meanwhile; run the actions."""
        if group.state is DEAD:
            return
        member = group.members.get(member_id)
        try:
            if is_pending:
                if member_id in group.pending_join_members:
                    self._listener.on_pending_member_expired(group, member_id)
            elif member is not None and not member.has_satisfied_heartbeat:
                self._listener.on_member_expired(group, member)
        finally:
            self._actions.try_complete_actions()
