"""Answers to parked requests, queued until the books are in order.

An answer may bring the member's next request before it returns, so nothing is sent while a group is
between two states: whoever may have queued an answer calls `send` last, as Kafka drains its action
queue (KAFKA-8334).
"""

from __future__ import annotations

from functools import partial

from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.member import ClassicGroupMember
from broker.groups.classic.requests import JoinResult, SyncResult
from purgatories.action_queue import ActionQueue
from purgatories.on_error import OnError, log_error


class Answers:
    """The answers that wait to be sent."""

    def __init__(self, on_error: OnError = log_error) -> None:
        self._queue = ActionQueue(on_error)

    def join(self, group: ClassicGroup, member: ClassicGroupMember, result: JoinResult) -> None:
        """Answer a member's parked JoinGroup, if it has one."""
        on_response = group.take_join(member)
        if on_response is not None:
            self._queue.add(partial(on_response, result))

    def sync(self, member: ClassicGroupMember, result: SyncResult) -> bool:
        """Answer a member's parked SyncGroup; False if it has none."""
        on_response, member.awaiting_sync = member.awaiting_sync, None
        if on_response is None:
            return False
        self._queue.add(partial(on_response, result))
        return True

    def send(self) -> None:
        """Send what was queued."""
        self._queue.try_complete_actions()
