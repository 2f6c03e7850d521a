"""Parked, as a client sees it."""

from __future__ import annotations

from broker.api.handlers.group_wait import members_wait
from broker.api.handlers.parked import Parked
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.broker.api.handlers.group_request import GroupNode, GroupRequest


def parked_request() -> tuple[GroupRequest, Parked[int]]:
    """A parked request, answered with an error code."""
    body = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
    request = GroupRequest(GroupNode(), body, 0)
    parked: Parked[int] = Parked(
        request,  # type: ignore[arg-type]  # a stand-in
        lambda error: HeartbeatResponse(error_code=error),
        members_wait("g"),
    )
    return request, parked


def test_a_parked_request_is_answered_once() -> None:
    """A second result has nobody to go to."""
    request, parked = parked_request()
    parked(25)
    parked(27)

    assert [each.error_code for each in request.answers] == [25]


def test_a_client_that_has_gone_away_is_not_answered() -> None:
    """The result is dropped."""
    request, parked = parked_request()
    assert request.on_disconnect is not None
    request.on_disconnect()
    parked(25)

    assert request.answers == []
