"""Answers that wait for the replicas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from broker.api.handlers.replicated import when_all_replicated, when_replicated
from broker.api.outcome import PARKED
from broker.common.topic_partition import TopicPartition
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.broker.api.handlers.group_request import GroupNode, GroupRequest


def request(node: GroupNode) -> Any:
    """A request whose answer is an error and nothing else."""
    body = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
    return GroupRequest(node, body, 4)


def answer(error: ErrorCode = ErrorCode.NONE) -> HeartbeatResponse:
    """An answer that says *error*."""
    return HeartbeatResponse(error_code=error)


def write(node: GroupNode, *group_ids: str) -> None:
    """Let groups write something."""
    for group_id in group_ids:
        commits = [Commit(TopicPartition("t", 0), 1)]
        node.groups.offsets.commit(OffsetCommit(group_id=group_id, commits=commits))


def behind(*group_ids: str) -> GroupNode:
    """A node whose replicas do not have what these groups wrote."""
    node = GroupNode()
    node.world.slow_down()
    write(node, *group_ids)
    return node


def told(asked: Any) -> list[ErrorCode]:
    """What a request was answered."""
    return [ErrorCode(each.error_code) for each in asked.answers]


def test_what_is_replicated_is_told_at_once() -> None:
    """The request is not parked."""
    node = GroupNode()
    write(node, "g")
    asked, response = request(node), answer()

    assert when_replicated(asked, "g", response, answer) is response
    assert asked.on_disconnect is None


def test_another_group_s_writes_are_not_waited_for() -> None:
    """Unless it shares the partition of the log."""
    node = behind("h")
    assert node.groups.runtime.partition_for("g") != node.groups.runtime.partition_for("h")
    response = answer()

    assert when_replicated(request(node), "g", response, answer) is response


def test_what_is_not_replicated_waits() -> None:
    """It is told once, as it was when it was parked."""
    node = behind("g")
    asked = request(node)
    assert when_replicated(asked, "g", answer(ErrorCode.REBALANCE_IN_PROGRESS), answer) is PARKED
    assert told(asked) == []

    node.world.replicate()
    node.world.wait(60_000)

    assert told(asked) == [ErrorCode.REBALANCE_IN_PROGRESS]


def test_what_is_never_replicated_is_refused() -> None:
    """After ``offsets.commit.timeout.ms``, or when the coordinator moves away."""
    late, moved = behind("g"), behind("g")
    asked = [request(late), request(moved)]
    when_replicated(asked[0], "g", answer(), answer)
    when_replicated(asked[1], "g", answer(), answer)

    late.world.wait(5000)
    moved.groups.runtime.on_resignation(moved.groups.runtime.partition_for("g"))

    assert told(asked[0]) == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert told(asked[1]) == [ErrorCode.NOT_COORDINATOR]


def test_who_goes_away_is_not_answered() -> None:
    """Nor is anybody else disturbed by it."""
    node = behind("g")
    gone, patient = request(node), request(node)
    when_replicated(gone, "g", answer(), answer)
    when_replicated(patient, "g", answer(), answer)
    gone.on_disconnect()
    node.world.replicate()

    assert (told(gone), told(patient)) == ([], [ErrorCode.NONE])


def test_an_answer_about_many_groups_waits_for_the_slowest() -> None:
    """And is told how each of them ended."""
    node = behind("g", "h")
    node_groups = node.groups
    asked = request(node)
    ended: dict[str, ErrorCode] = {}

    def to_response(errors: Mapping[str, ErrorCode]) -> HeartbeatResponse:
        ended.update(errors)
        return answer()

    assert when_all_replicated(asked, ["g", "h"], to_response) is PARKED
    node_groups.runtime.on_resignation(node_groups.runtime.partition_for("g"))
    assert told(asked) == []
    node.world.replicate()

    assert told(asked) == [ErrorCode.NONE]
    assert ended == {"g": ErrorCode.NOT_COORDINATOR, "h": ErrorCode.NONE}


def test_an_answer_about_groups_that_wrote_nothing_waits_for_nobody() -> None:
    """There is nothing that could be lost."""
    response = answer()

    assert when_all_replicated(request(GroupNode()), ["g"], lambda _: response) is response
