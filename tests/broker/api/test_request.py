"""A request in progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trio.testing

from broker.api.outcome import Outcome
from broker.api.request import Request, Resume
from broker.api.services import Services
from broker.api.table import API_BY_KEY
from broker.common.errors import Refused
from protocol.codec import Malformed
from protocol.errors import ErrorCode
from protocol.headers import RequestHeader
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest, MetadataResponse
from tests.client import running_node
from tests.held_offload import HeldOffload

pytestmark = pytest.mark.anyio


class Sink:
    """Where answers go."""

    def __init__(self) -> None:
        self.in_progress: Request[Any] | None = None
        self.answers: list[tuple[Request[Any], object | None]] = []
        self.muted_ms: list[int] = []

    def complete(self, request: Request[Any], response: object | None) -> None:
        """Remember."""
        self.answers.append((request, response))

    def fail(self, request: Request[Any], code: ErrorCode, message: str | None = None) -> None:
        """Remember."""
        self.answers.append((request, code))

    def refuse(self, reason: Malformed | Refused) -> None:
        """Remember nothing."""

    def wake(self) -> None:
        """Remember nothing."""

    def keep_frame(self, request: Request[Any]) -> bool:
        """The bytes are the request's own."""
        return True

    def mute(self, throttle_ms: int) -> None:
        """Remember."""
        self.muted_ms.append(throttle_ms)


def request_from(sink: Sink, header: RequestHeader) -> Request[str]:
    """A request that came by *sink*, of a node without services."""
    return Request(header, "body", cast("Services", None), cast("Resume", None), sink, "127.0.0.1")


def test_an_answer_goes_back_where_the_request_came_from() -> None:
    """The request knows its client and hands its answer to the connection it came by."""
    sink = Sink()
    header = RequestHeader(3, 9, 77, "me")
    request = request_from(sink, header)

    request.respond("answer")

    assert (request.version, request.client_id, request.body) == (9, "me", "body")
    assert sink.answers == [(request, "answer")]


def test_a_client_is_throttled_by_the_connection_it_came_by() -> None:
    """Whose next request waits."""
    sink = Sink()
    request = request_from(sink, RequestHeader(0, 9, 1, "me"))

    request.throttle(100)

    assert sink.muted_ms == [100]


async def test_a_computation_of_a_request_ends_with_the_rest_of_its_handler(tmp_path: Path) -> None:
    """What that returns is the response; the connection serves no other request before."""
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
    """Kafka does not read from a client meanwhile either."""
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
    """Nothing of it runs."""
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
    """As a handler that does."""
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
    """Let the handler of *api* run *work* elsewhere, and respond with what it returns."""

    def handler(request: Request[Any]) -> Outcome:
        return request.offload(lambda: work(request), lambda found: responded(str(found)))

    with pytest.MonkeyPatch.context() as patch:
        key = api.__spec__.key  # type: ignore[attr-defined]  # every message has one
        patch.setitem(API_BY_KEY, key, (api, handler))
        yield


def responded(found: str) -> MetadataResponse:
    """A response that shows it."""
    return MetadataResponse(brokers=[], cluster_id=found, controller_id=1, topics=[])
