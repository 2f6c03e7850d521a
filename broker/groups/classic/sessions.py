"""Sessions of classic members (the heartbeat coordinator of Kafka up to 3.9).

Each heartbeat restarts the timer of the member's `DelayedHeartbeat`; if it expires, the member is
removed. (In Kafka a heartbeat completes the operation and adds another one, which takes three times
as long.) While a join or sync of the member waits, an expiry has no effect, and the next operation
is added when the response is sent. Pending member ids (KIP-394) expire in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import DEAD
from broker.groups.classic.member import ClassicGroupMember, MemberKey
from broker.groups.time_limits import MemberTimeout
from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_heartbeat import DelayedHeartbeat
from purgatories.purgatory import DelayedOperationPurgatory


class SessionListener(Protocol):
    """Removes members whose sessions have expired."""

    def on_member_expired(self, group: ClassicGroup, member: ClassicGroupMember) -> None:
        """No heartbeat of the member has arrived within its session timeout."""
        ...

    def on_pending_member_expired(self, group: ClassicGroup, member_id: str) -> None:
        """A pending member id has not joined within the session timeout."""
        ...


class Sessions:
    """The operations of the heartbeat purgatory, and the methods that they call."""

    def __init__(
        self,
        purgatory: DelayedOperationPurgatory[DelayedHeartbeat[ClassicGroup]],
        actions: ActionQueue,
        listener: SessionListener,
    ) -> None:
        self._purgatory = purgatory
        self._actions = actions
        self._listener = listener

    def reschedule(
        self, group: ClassicGroup, member: ClassicGroupMember, timeout_ms: int | None = None
    ) -> None:
        """Restart the member's session, which lasts *timeout_ms* or its session timeout."""
        if timeout_ms is None:
            timeout_ms = member.session_timeout_ms
        session = member.session
        if session is not None and not session.is_completed and session.group is group:
            session.delay_ms = float(timeout_ms)
            self._purgatory.timer.add(session)
            return
        self._purgatory.check_and_complete(member.key)  # it is no longer pending
        operation = DelayedHeartbeat(self, group, member.member_id, False, timeout_ms)
        member.session = operation
        self._purgatory.try_complete_else_watch(operation, (member.key,))

    def schedule_pending(self, group: ClassicGroup, member_id: str, timeout_ms: int) -> None:
        """Expire the pending *member_id* if it does not join within *timeout_ms*."""
        operation = DelayedHeartbeat(self, group, member_id, True, timeout_ms)
        key = MemberKey(group.group_id, member_id)
        self._purgatory.try_complete_else_watch(operation, (key,))

    def cancel(self, group: ClassicGroup, member_id: str) -> None:
        """End the session of a removed member, or of a member of a Dead group."""
        assert member_id not in group.members or group.state is DEAD
        self._purgatory.check_and_complete(MemberKey(group.group_id, member_id))

    def timeouts(self) -> Iterator[MemberTimeout]:
        """The sessions, except of members whose join or sync waits: their expiry has no effect."""
        for _, operation in self._purgatory.waiting():
            group, member_id = operation.group, operation.member_id
            if not operation.is_pending and group.members[member_id].has_satisfied_heartbeat:
                continue
            yield MemberTimeout(
                group.group_id,
                member_id,
                "pending" if operation.is_pending else "session",
                int(operation.delay_ms),
                operation.expiration_ms,
            )

    # ------------------------------------------------------------ called by DelayedHeartbeat

    def try_complete_heartbeat(
        self,
        group: ClassicGroup,
        member_id: str,
        is_pending: bool,
        force_complete: Callable[[], bool],
    ) -> bool:
        """Complete if the member has sent a heartbeat or was removed."""
        if is_pending:
            wanted = member_id in group.pending_join_members
        else:
            member = group.members.get(member_id)
            wanted = member is not None and not member.has_satisfied_heartbeat
        if wanted and group.state is not DEAD:
            return False
        return force_complete()

    def on_expire_heartbeat(self, group: ClassicGroup, member_id: str, is_pending: bool) -> None:
        """Expire the member, unless it was removed or sent a heartbeat; then run the actions."""
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
