"""Responses on their way from requests to connections."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from broker.api.request import Request, Resume
from broker.api.request_channel import RequestChannel
from broker.api.services import Services
from broker.common.state_changes import StateChanges
from broker.common.unexpected_errors import UnexpectedErrors
from broker.network.clients.in_progress import CloseReason
from broker.quotas.throttle import Throttle
from broker.wait_records.causes import CauseKind
from broker.wait_records.recorder import Recorder
from broker.wait_records.wait import Wait
from protocol.errors import ErrorCode
from protocol.headers import RequestHeader, decode_response
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from protocol.messages.produce import ProduceRequest
from tests.broker.api.broken_handlers import contain_errors
from tests.broker.api.fake_sink import FakeSink

HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")


class FakeChanges(StateChanges):
    """Counts notifications."""

    count = 0

    def notify(self) -> None:
        self.count += 1


class FakeRecorder:
    """Records the ends of requests."""

    def __init__(self) -> None:
        self.events: list[object] = []

    def completed(self, _request: object, response: object | None) -> Any:
        self.events.append(("completed", response))
        return SimpleNamespace(completed_ms=7.0)

    def sent(self, record: Any) -> None:
        self.events.append(("sent", record.completed_ms))

    def abandoned(self, _request: object, kind: CauseKind) -> None:
        self.events.append(("abandoned", kind))


class Parts:
    """A channel, its connection, and a request that is in progress there."""

    def __init__(
        self, body: Any = HEARTBEAT, key: int = 12, recorder: FakeRecorder | None = None
    ) -> None:
        self.changes, self.sink = FakeChanges(), FakeSink()
        self.errors = UnexpectedErrors("node 1")
        self.channel = RequestChannel(self.changes, self.errors, cast("Recorder | None", recorder))
        services = SimpleNamespace(request_channel=self.channel, unexpected_errors=self.errors)
        header = RequestHeader(key, 4, 7, "me")
        self.request: Request[Any] = Request(
            header, body, cast("Services", services), cast("Resume", None), self.sink, "host"
        )
        if recorder is not None:
            self.request.observer = cast("Any", object())
        self.sink.in_progress = self.request

    def responded(self) -> Any:
        """The only response."""
        [frame] = self.sink.frames
        assert frame is not None
        return decode_response(HeartbeatResponse, 4, frame[4:])[1]


def test_a_response_is_encoded_and_notified() -> None:
    """Tasks that wait for a request to end check again."""
    parts = Parts()

    parts.channel.send_response(parts.request, HeartbeatResponse(error_code=25))

    assert parts.responded().error_code == 25
    assert parts.changes.count == 1


def test_a_request_without_a_response_ends_too() -> None:
    """Nothing is sent for acks=0."""
    parts = Parts()

    parts.channel.send_response(parts.request, None)

    assert parts.sink.frames == [None]


def test_a_response_to_a_closed_connection_is_dropped() -> None:
    """The request was abandoned when the connection closed."""
    parts = Parts()
    parts.sink.is_closed = True

    parts.channel.send_response(parts.request, HeartbeatResponse())
    parts.channel.send_error(parts.request, ErrorCode.UNKNOWN_SERVER_ERROR)

    assert parts.sink.frames == []


def test_a_response_that_cannot_be_encoded_at_all_closes_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A request whose body has not been decoded has no error response."""
    contain_errors(monkeypatch)
    parts = Parts(body=None)

    parts.channel.send_response(parts.request, HeartbeatResponse(error_code=1 << 20))

    reason = "neither the response nor an error response can be encoded"
    assert (parts.sink.frames, parts.sink.refusals) == ([], [reason])


def test_a_completed_request_releases_what_it_waited_for() -> None:
    """The purgatory may keep the operation, and must not keep the request with it."""
    parts, released = Parts(), list[int]()
    parts.request.wait = cast("Wait", SimpleNamespace(release=lambda: released.append(1)))

    parts.channel.send_response(parts.request, HeartbeatResponse())

    assert parts.request.wait is None
    assert released == [1]


def test_an_error_abandons_what_the_request_waits_for() -> None:
    """Its error response contains the time for which the client is throttled."""
    parts, abandoned = Parts(), list[int]()
    parts.request.on_disconnect = lambda: abandoned.append(1)
    parts.request.throttle(Throttle(9, "request_percentage", (), 2, 1))

    parts.channel.send_error(parts.request, ErrorCode.UNKNOWN_SERVER_ERROR)

    assert (parts.responded().error_code, parts.responded().throttle_time_ms) == (-1, 9)
    assert abandoned == [1]


def test_an_error_after_the_response_has_no_effect() -> None:
    """A request has exactly one response."""
    parts = Parts()
    parts.channel.send_response(parts.request, HeartbeatResponse())

    parts.channel.send_error(parts.request, ErrorCode.UNKNOWN_SERVER_ERROR)

    assert parts.responded().error_code == 0


def test_an_error_without_an_error_response_closes_the_connection() -> None:
    """Kafka does so for acks=0."""
    body = ProduceRequest(transactional_id=None, acks=0, timeout_ms=1, topic_data=[])
    parts = Parts(body, key=0)

    parts.channel.send_error(parts.request, ErrorCode.UNKNOWN_SERVER_ERROR)

    reason = "a request failed with UNKNOWN_SERVER_ERROR and has no error response"
    assert parts.sink.refusals == [reason]


def test_a_recorded_request_is_completed_and_then_sent() -> None:
    """The connection reports when the response was sent."""
    recorder = FakeRecorder()
    parts, response = Parts(recorder=recorder), HeartbeatResponse()

    parts.channel.send_response(parts.request, response)
    assert recorder.events == [("completed", response)]
    assert parts.sink.free_ms == 7.0

    assert parts.sink.on_sent is not None
    parts.sink.on_sent()
    assert recorder.events[1:] == [("sent", 7.0)]


@pytest.mark.parametrize("reason", list(CloseReason))
def test_the_record_of_an_abandoned_request_has_the_reason(reason: CloseReason) -> None:
    """What it waits for is abandoned."""
    recorder, abandoned = FakeRecorder(), list[int]()
    parts = Parts(recorder=recorder)
    parts.request.on_disconnect = lambda: abandoned.append(1)

    parts.request.abandon(reason)

    assert recorder.events == [("abandoned", CauseKind(reason.value))]
    assert abandoned == [1]


def test_a_request_whose_record_fails_has_its_response(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception is reported."""
    contain_errors(monkeypatch)
    recorder = FakeRecorder()
    parts = Parts(recorder=recorder)
    parts.errors = UnexpectedErrors("node 1")
    channel = RequestChannel(parts.changes, parts.errors, cast("Recorder", recorder))

    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(recorder, "completed", fail)
    channel.send_response(parts.request, HeartbeatResponse())

    assert parts.responded().error_code == 0
    assert parts.errors.statistics() == {"requests": {}, "others": 1}
