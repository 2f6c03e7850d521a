"""Responses that wait for replication."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from broker.api.handlers.groups.replicated import when_all_replicated, when_replicated
from broker.api.outcome import PARKED
from broker.common.topic_partition import TopicPartition
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices


def request(node: GroupServices) -> GroupRequest:
    """A request whose response has an error code only."""
    body = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
    return GroupRequest(node, body, 4)


def result(error: ErrorCode = ErrorCode.NONE) -> HeartbeatResponse:
    """A response with *error*."""
    return HeartbeatResponse(error_code=error)


def write(node: GroupServices, *group_ids: str) -> None:
    """Let groups write records."""
    for group_id in group_ids:
        commits = [Commit(TopicPartition("t", 0), 1)]
        node.groups.offsets.commit(OffsetCommit(group_id=group_id, commits=commits))


def behind(*group_ids: str) -> GroupServices:
    """A node whose replicas do not have the records of these groups."""
    node = GroupServices()
    node.world.slow_down()
    write(node, *group_ids)
    return node


def responses(requested: Any) -> list[ErrorCode]:
    """The error codes of the responses."""
    return [ErrorCode(each.error_code) for each in requested.responses]


def test_replicated_writes_are_responded_to_at_once() -> None:
    """The request is not parked."""
    node = GroupServices()
    write(node, "g")
    requested, response = request(node), result()

    assert when_replicated(requested.request, "g", response, result) is response
    assert requested.on_disconnect is None


def test_the_writes_of_another_group_do_not_delay_the_response() -> None:
    """Unless both groups share a partition of the log."""
    node = behind("h")
    assert node.groups.runtime.partition_for("g") != node.groups.runtime.partition_for("h")
    response = result()

    assert when_replicated(request(node).request, "g", response, result) is response


def test_the_response_waits_for_replication() -> None:
    """It is sent once, with the content it had when the request was parked."""
    node = behind("g")
    requested = request(node)
    assert (
        when_replicated(requested.request, "g", result(ErrorCode.REBALANCE_IN_PROGRESS), result)
        is PARKED
    )
    assert responses(requested) == []

    node.world.replicate()
    node.world.wait(60_000)

    assert responses(requested) == [ErrorCode.REBALANCE_IN_PROGRESS]


def test_a_response_that_waits_too_long_is_a_refusal() -> None:
    """After ``offsets.commit.timeout.ms``, or when the coordinator moves to another node."""
    late, moved = behind("g"), behind("g")
    requested = [request(late), request(moved)]
    when_replicated(requested[0].request, "g", result(), result)
    when_replicated(requested[1].request, "g", result(), result)

    late.world.wait(5000)
    moved.groups.runtime.on_resignation(moved.groups.runtime.partition_for("g"))

    assert responses(requested[0]) == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert responses(requested[1]) == [ErrorCode.NOT_COORDINATOR]


def test_after_a_disconnect_there_is_no_response() -> None:
    """Other requests are not affected."""
    node = behind("g")
    gone, patient = request(node), request(node)
    when_replicated(gone.request, "g", result(), result)
    when_replicated(patient.request, "g", result(), result)
    assert gone.on_disconnect is not None
    gone.on_disconnect()
    node.world.replicate()

    assert (responses(gone), responses(patient)) == ([], [ErrorCode.NONE])


def test_a_response_for_many_groups_waits_for_all_of_them() -> None:
    """It gets the error of each group."""
    node = behind("g", "h")
    node_groups = node.groups
    requested = request(node)
    ended: dict[str, ErrorCode] = {}

    def to_response(errors: Mapping[str, ErrorCode]) -> HeartbeatResponse:
        ended.update(errors)
        return result()

    assert when_all_replicated(requested.request, ["g", "h"], to_response) is PARKED
    node_groups.runtime.on_resignation(node_groups.runtime.partition_for("g"))
    assert responses(requested) == []
    node.world.replicate()

    assert responses(requested) == [ErrorCode.NONE]
    assert ended == {"g": ErrorCode.NOT_COORDINATOR, "h": ErrorCode.NONE}


def test_a_response_for_groups_without_writes_does_not_wait() -> None:
    """There is no record that could be lost."""
    response = result()

    assert (
        when_all_replicated(request(GroupServices()).request, ["g"], lambda _: response) is response
    )
