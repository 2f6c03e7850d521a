"""The effects of what a handler returns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio.testing

from broker.api.outcome import NO_RESPONSE, PARKED
from broker.api.request import Request
from broker.steps.queue import Slices
from protocol.headers import encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.broker.api.broken_handlers import contain_errors, replace_handler
from tests.client import running_node

pytestmark = pytest.mark.anyio

HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")


def returned(outcome: object) -> object:
    """A handler that returns *outcome*."""

    def handler(_request: Request[Any]) -> object:
        return outcome

    return handler


def returned_by_slices(outcome: object) -> object:
    """A generator function that returns *outcome*."""

    def handler(_request: Request[Any]) -> Slices[object]:
        yield None
        return outcome

    return handler


@pytest.mark.parametrize("handler", [returned, returned_by_slices])
async def test_a_response_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, handler: Any
) -> None:
    """A handler or a generator may return it."""
    replace_handler(monkeypatch, HeartbeatRequest, handler(HeartbeatResponse(error_code=25)))
    async with running_node(tmp_path) as node:
        assert (await node.client().send(HEARTBEAT)).error_code == 25


@pytest.mark.parametrize("handler", [returned, returned_by_slices])
async def test_a_request_without_a_response_lets_the_next_one_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, handler: Any
) -> None:
    """``NO_RESPONSE`` completes the request, and the next response is that of the next request."""
    replace_handler(monkeypatch, HeartbeatRequest, handler(NO_RESPONSE))
    async with running_node(tmp_path) as node:
        client = node.client()
        client.write(encode_request(HEARTBEAT, 4, 1, "me"))

        assert (await client.send(ApiVersionsRequest(), 2)).api_keys


@pytest.mark.parametrize("handler", [returned, returned_by_slices])
async def test_a_parked_request_delays_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, handler: Any
) -> None:
    """``PARKED`` keeps the request in progress until `Request.respond` is called."""
    replace_handler(monkeypatch, HeartbeatRequest, handler(PARKED))
    async with running_node(tmp_path) as node:
        client = node.client()
        client.start(HEARTBEAT)
        client.start(ApiVersionsRequest(), 2)
        await trio.testing.wait_all_tasks_blocked()
        assert client.nothing_arrived()

        request = client.connection.in_progress
        assert isinstance(request, Request)
        request.respond(HeartbeatResponse(error_code=25))

        assert (await client.receive()).error_code == 25
        assert (await client.receive()).api_keys


@pytest.mark.parametrize("handler", [returned, returned_by_slices])
async def test_a_handler_that_returns_nothing_is_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, handler: Any
) -> None:
    """It is an unexpected error, and the client receives the error response."""
    contain_errors(monkeypatch)
    replace_handler(monkeypatch, HeartbeatRequest, handler(None))
    async with running_node(tmp_path) as node:
        assert (await node.client().send(HEARTBEAT)).error_code == -1
        assert node.node.unexpected_errors.statistics()["requests"] == {"Heartbeat": 1}
