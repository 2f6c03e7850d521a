"""Responses to waiting JoinGroup and SyncGroup requests."""

from __future__ import annotations

from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.requests import JoinResult, SyncResult
from broker.groups.classic.responses import Responses
from purgatories.action_queue import ActionQueue
from tests.broker.groups.members import member


def test_a_response_is_sent_when_the_actions_run() -> None:
    """The wait of the member ends at once; the response is only queued."""
    actions, group, got = ActionQueue(), ClassicGroup("g", 0), list[JoinResult]()
    each = member("a")
    group.add(each, got.append)
    result = JoinResult(member_id="a")

    Responses(actions).join(group, each, result)
    assert (each.awaiting_join, group.awaiting_join_count, got) == (None, 0, [])
    actions.try_complete_actions()
    assert got == [result]


def test_a_member_that_does_not_wait_gets_no_response() -> None:
    """Neither a JoinGroup nor a SyncGroup response."""
    actions, group = ActionQueue(), ClassicGroup("g", 0)
    responses = Responses(actions)
    group.add(member("a"), None)

    responses.join(group, group.members["a"], JoinResult(member_id="a"))
    assert not responses.sync(group.members["a"], SyncResult())
    assert len(actions) == 0


def test_a_response_may_cause_the_next_request() -> None:
    """A response that is queued while another one is sent is sent by the drain of its request."""
    actions, got = ActionQueue(), list[str]()
    responses = Responses(actions)
    each, other = member("a"), member("b")

    def next_request(_result: SyncResult) -> None:
        got.append("a")
        other.awaiting_sync = lambda _result: got.append("b")
        responses.sync(other, SyncResult())
        actions.try_complete_actions()

    each.awaiting_sync = next_request
    assert responses.sync(each, SyncResult())
    actions.try_complete_actions()

    assert got == ["a", "b"]
