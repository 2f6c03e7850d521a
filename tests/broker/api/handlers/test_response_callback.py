"""The callback of a parked request."""

from __future__ import annotations

from broker.api.handlers.group_wait import members_wait
from broker.api.handlers.response_callback import ResponseCallback
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.broker.api.handlers.groups.group_request import GroupRequest, GroupServices


def parked_request() -> tuple[GroupRequest, ResponseCallback[int]]:
    """A parked request whose response has an error code."""
    body = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
    request = GroupRequest(GroupServices(), body, 0)
    parked: ResponseCallback[int] = ResponseCallback(
        request.request,
        lambda error: HeartbeatResponse(error_code=error),
        members_wait(lambda _group_id: None, "g"),
    )
    return request, parked


def test_a_parked_request_gets_one_response() -> None:
    """A second result has no effect."""
    request, parked = parked_request()
    parked(25)
    parked(27)

    assert [each.error_code for each in request.responses] == [25]


def test_after_a_disconnect_there_is_no_response() -> None:
    """The result is dropped."""
    request, parked = parked_request()
    assert request.on_disconnect is not None
    request.on_disconnect()
    parked(25)

    assert request.responses == []
