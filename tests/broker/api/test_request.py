"""A request in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing

from broker.api.outcome import Outcome
from broker.api.request import Request, Resume
from broker.api.request_channel import RequestChannel
from broker.api.services import Services
from broker.api.table import ALL_APIS
from broker.common.errors import Refused
from broker.common.state_changes import StateChanges
from broker.common.unexpected_errors import UnexpectedErrors
from broker.quotas.throttle import Throttle
from protocol.headers import RequestHeader, decode_response
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.heartbeat import HeartbeatResponse
from protocol.messages.metadata import MetadataRequest, MetadataResponse
from tests.broker.api.fake_sink import FakeSink
from tests.client import running_node
from tests.held_offload import HeldOffload

pytestmark = pytest.mark.anyio


def request_from(sink: FakeSink, header: RequestHeader) -> Request[str]:
    """A request of the connection *sink*, with the services that a response needs."""
    services = SimpleNamespace(
        request_channel=RequestChannel(StateChanges(), UnexpectedErrors("node 1"), None)
    )
    return Request(header, "body", cast("Services", services), cast("Resume", None), sink, "host")


def test_a_response_is_sent_to_the_connection_of_its_request() -> None:
    """With the correlation id of the request."""
    sink = FakeSink()
    request = request_from(sink, RequestHeader(12, 4, 77, "me"))
    sink.in_progress = request

    request.respond(HeartbeatResponse(error_code=25))

    assert (request.version, request.client_id, request.body) == (4, "me", "body")
    [frame] = sink.frames
    assert frame is not None
    correlation_id, body = decode_response(HeartbeatResponse, 4, frame[4:])
    assert (correlation_id, body.error_code) == (77, 25)


def test_the_longest_throttle_of_a_request_applies() -> None:
    """It has exceeded three quotas; its connection is muted for one of them."""
    sink = FakeSink()
    request = request_from(sink, RequestHeader(12, 4, 1, "me"))
    for time_ms in (100, 300, 200):
        request.throttle(Throttle(time_ms, "request_percentage", (), 2, 1))
    sink.in_progress = request

    request.respond(HeartbeatResponse())

    assert sink.muted_ms == [300]


async def test_a_computation_of_a_request_ends_with_the_rest_of_its_handler(tmp_path: Path) -> None:
    """The rest returns the response; the connection begins no other request before."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        with patched(MetadataRequest, lambda _request: 1 + 1):
            client = node.client()
            client.start(MetadataRequest(topics=None))
            client.start(ApiVersionsRequest(), 2)
            await trio.testing.wait_all_tasks_blocked()
            assert client.nothing_arrived()

            offload.finish_next()

            assert (await client.receive()).cluster_id == "2"
            assert not (await client.receive()).error_code


async def test_a_disconnect_is_noticed_after_the_computation(tmp_path: Path) -> None:
    """Kafka does not read from the client meanwhile either."""
    offload = HeldOffload()
    ran: list[object] = []
    async with running_node(tmp_path, offload=offload) as node:
        with patched(MetadataRequest, ran.append):
            client = node.client()
            client.start(MetadataRequest(topics=None))
            await trio.testing.wait_all_tasks_blocked()
            client.close()
            await trio.testing.wait_all_tasks_blocked()
            assert len(node.node.connections) == 1
            offload.finish_next()

    assert len(ran) == 1


async def test_the_end_of_a_node_abandons_the_computation(tmp_path: Path) -> None:
    """The rest of the handler does not run."""
    offload = HeldOffload()
    ran: list[object] = []
    async with running_node(tmp_path, offload=offload) as node:
        with patched(MetadataRequest, ran.append):
            client = node.client()
            client.start(MetadataRequest(topics=None))
            await trio.testing.wait_all_tasks_blocked()
            await node.cluster.stop(1)
            offload.finish_next()

    assert ran == []


async def test_a_computation_that_refuses_the_request_ends_its_connection(tmp_path: Path) -> None:
    """The same holds for a handler that refuses it."""
    offload = HeldOffload()

    def refuse(_request: object) -> int:
        raise Refused("no")

    async with running_node(tmp_path, offload=offload) as node:
        with patched(MetadataRequest, refuse):
            client = node.client()
            client.start(MetadataRequest(topics=None))
            await trio.testing.wait_all_tasks_blocked()
            offload.finish_next()

            assert await client.closed()


@contextmanager
def patched(api: type, work: Callable[[object], object]) -> Iterator[None]:
    """Let the handler of *api* run *work* in a worker thread, and respond with its result."""

    def handler(request: Request[Any]) -> Outcome:
        return request.offload(lambda: work(request), lambda found: responded(str(found)))

    with pytest.MonkeyPatch.context() as patch:
        key = api.__spec__.key  # type: ignore[attr-defined]  # every message has one
        patch.setitem(ALL_APIS.loaded, key, (api, handler))
        yield


def responded(found: str) -> MetadataResponse:
    """A response that contains *found*."""
    return MetadataResponse(brokers=[], cluster_id=found, controller_id=1, topics=[])
