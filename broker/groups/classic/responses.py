"""Responses to waiting JoinGroup and SyncGroup requests, queued until the group is consistent.

A response may cause the member's next request, so none is sent while a group is between two states.
Responses go through the node's action queue, which runs when the request or the timer task that has
caused them is finished (KAFKA-8334).
"""

from __future__ import annotations

from functools import partial

from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.member import ClassicGroupMember
from broker.groups.classic.requests import JoinResult, SyncResult
from purgatories.action_queue import ActionQueue


class Responses:
    """Ends the waits of members; the responses are sent when *actions* runs."""

    def __init__(self, actions: ActionQueue) -> None:
        self._actions = actions

    def join(self, group: ClassicGroup, member: ClassicGroupMember, result: JoinResult) -> None:
        """Respond to the member's waiting JoinGroup, if there is one."""
        on_response = group.take_join(member)
        if on_response is not None:
            self._actions.add(partial(on_response, result))

    def sync(self, member: ClassicGroupMember, result: SyncResult) -> bool:
        """Respond to the member's waiting SyncGroup; returns False if there is none."""
        on_response, member.awaiting_sync = member.awaiting_sync, None
        if on_response is None:
            return False
        self._actions.add(partial(on_response, result))
        return True
