"""A response is a whole frame, an error response, or the end of its connection."""

from __future__ import annotations

from typing import Any, cast

import pytest

from broker.api.request import Request, ResponseSink, Resume
from broker.api.response_frame import error_frame, response_frame
from broker.api.services import Services
from broker.common.unexpected_errors import UnexpectedErrors
from protocol.errors import ErrorCode
from protocol.frame_length import finish_frame
from protocol.headers import RequestHeader, decode_response
from protocol.messages.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from protocol.messages.produce import ProduceRequest
from tests.broker.api.broken_handlers import contain_errors


class ErrorServices:
    """Services that count unexpected errors."""

    def __init__(self) -> None:
        self.unexpected_errors = UnexpectedErrors("node 1")


def _request(key: int, version: int, body: Any) -> Request[Any]:
    header = RequestHeader(key, version, 7, "me")
    services, sink = cast("Services", ErrorServices()), cast("ResponseSink", None)
    return Request(header, body, services, cast("Resume", None), sink, "peer")


def _heartbeat() -> Request[Any]:
    return _request(12, 4, HeartbeatRequest(group_id="g", generation_id=1, member_id="m"))


def test_a_response_is_encoded_after_room_for_its_length() -> None:
    """With the correlation id of its request."""
    frame = response_frame(_heartbeat(), HeartbeatResponse(error_code=25))

    assert frame is not None
    _, out = frame
    assert finish_frame(out, 0) == len(out)
    correlation_id, response = decode_response(HeartbeatResponse, 4, bytes(out)[4:])
    assert (correlation_id, response.error_code) == (7, 25)


def test_a_response_that_cannot_be_encoded_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only its throttle time remains, for which the client is throttled."""
    contain_errors(monkeypatch)
    request = _heartbeat()
    frame = response_frame(request, HeartbeatResponse(throttle_time_ms=9, error_code=1 << 20))

    assert frame is not None
    response, out = frame
    _, response = decode_response(HeartbeatResponse, 4, bytes(out)[4:])
    assert response == response
    assert (response.throttle_time_ms, response.error_code) == (9, -1)
    assert request.services.unexpected_errors.statistics()["requests"] == {"Heartbeat": 1}


def test_a_response_with_too_long_a_string_is_replaced() -> None:
    """That is not a bug: a message that quotes a long name is too long in Kafka too."""
    name = "x" * 32767
    requested = DescribeGroupsRequest(groups=[name])
    group = DescribedGroup(
        group_id=name,
        error_message=f"Group {name} not found.",
        group_state="Dead",
        protocol_type="",
        protocol_data="",
        members=[],
    )
    request = _request(15, 6, requested)

    frame = response_frame(request, DescribeGroupsResponse(groups=[group]))

    assert frame is not None
    _, received = decode_response(DescribeGroupsResponse, 6, bytes(frame[1])[4:])
    assert [each.error_code for each in received.groups] == [ErrorCode.UNKNOWN_SERVER_ERROR]
    assert request.services.unexpected_errors.statistics()["requests"] == {}


def test_an_error_response_that_cannot_be_encoded_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection is closed."""
    contain_errors(monkeypatch)
    request = _heartbeat()

    assert error_frame(request, cast("ErrorCode", 1 << 20)) is None
    assert request.services.unexpected_errors.statistics()["requests"] == {"Heartbeat": 1}


def test_a_produce_without_acks_has_no_error_response() -> None:
    """As in Kafka."""
    body = ProduceRequest(transactional_id=None, acks=0, timeout_ms=1, topic_data=[])

    assert error_frame(_request(0, 9, body), ErrorCode.UNKNOWN_SERVER_ERROR) is None
