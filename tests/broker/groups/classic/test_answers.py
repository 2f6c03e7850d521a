"""Answers."""

from __future__ import annotations

from broker.groups.classic.answers import Answers
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.requests import JoinResult, SyncResult
from tests.broker.groups.members import member


def test_answers_wait_until_they_are_sent() -> None:
    """The member waits no longer when its answer is queued, but is told later."""
    answers, group, got = Answers(), ClassicGroup("g", 0), list[JoinResult]()
    each = member("a")
    group.add(each, got.append)
    result = JoinResult(member_id="a")

    answers.join(group, each, result)
    assert (each.awaiting_join, group.awaiting_join_count, got) == (None, 0, [])
    answers.send()
    assert got == [result]


def test_who_does_not_wait_is_not_answered() -> None:
    """Neither a join nor a sync that is not there."""
    answers, group = Answers(), ClassicGroup("g", 0)
    group.add(member("a"), None)

    answers.join(group, group.members["a"], JoinResult(member_id="a"))
    assert not answers.sync(group.members["a"], SyncResult())
    answers.send()


def test_an_answer_may_bring_the_next_request() -> None:
    """What is queued while an answer is being sent is sent too."""
    answers, got = Answers(), list[str]()
    each, other = member("a"), member("b")

    def next_request(result: SyncResult) -> None:
        got.append("a")
        other.awaiting_sync = lambda result: got.append("b")
        answers.sync(other, SyncResult())
        answers.send()

    each.awaiting_sync = next_request
    assert answers.sync(each, SyncResult())
    answers.send()

    assert got == ["a", "b"]
