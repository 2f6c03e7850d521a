"""A request to a node with a group coordinator and two topics, as the group handlers get it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any
from uuid import UUID

from broker.api.outcome import PARKED
from broker.api.request import Request
from broker.config import Config
from broker.steps.offload import Offload
from broker.steps.queue import finish
from broker.wait_records.wait import Wait
from protocol.codec import decode, encode
from protocol.headers import RequestHeader
from tests.broker.api.handlers.records.held_verification import HeldVerification
from tests.broker.groups.virtual_world import VirtualWorld

T_ID, U_ID = UUID(int=1), UUID(int=2)


class GroupServices:
    """The services that group handlers use."""

    id, host, port = 7, "broker.example", 9092
    authorizer = None

    def __init__(self, config: Config | None = None, offload: Offload | None = None) -> None:
        self.world = VirtualWorld(config, offload=offload)
        self.config = self.world.config
        self.offload = self.world.offload
        self.groups = self.world.coordinator
        self.verification = HeldVerification()
        self.request_channel = _Responses()
        self.unexpected_errors = _Raised()
        self.image = self.world.image
        for name, topic_id, partitions in (("t", T_ID, 2), ("u", U_ID, 1)):
            self.world.put_topic(name, partitions, topic_id)


class _Responses:
    """The request channel: stores responses as a client of the request's version decodes them."""

    def __init__(self) -> None:
        self.of: dict[Request[Any], list[Any]] = {}

    def send_response(self, request: Request[Any], response: Any) -> None:
        """See `RequestChannel.send_response`."""
        version = request.version
        self.of[request].append(decode(type(response), version, encode(response, version)))


class _Raised:
    """Unexpected errors: they propagate to the test."""

    def in_request(self, _request: Request[Any], error: Exception) -> None:
        """See `UnexpectedErrors.in_request`."""
        raise error


class GroupRequest:
    """A request to *node*, and the responses to it."""

    def __init__(
        self, node: GroupServices, body: Any, version: int, client_id: str | None = "client"
    ) -> None:
        services: Any = node
        no_connection: Any = None
        self.services = node
        self.request = Request[Any](
            RequestHeader(type(body).__spec__.key, version, 0, client_id),
            decode(type(body), version, encode(body, version)),
            services,
            _resume,
            no_connection,
            "127.0.0.1",
        )
        self.responses = node.request_channel.of[self.request] = []

    @property
    def body(self) -> Any:
        """The body, as the handler reads it."""
        return self.request.body

    @property
    def wait(self) -> Wait | None:
        """What the request waits for while it is parked."""
        return self.request.wait

    @property
    def on_disconnect(self) -> Callable[[], object] | None:
        """What a disconnect calls."""
        return self.request.on_disconnect

    def respond(self, response: Any) -> None:
        """Respond with what the handler has returned."""
        self.request.respond(response)


def _resume(request: Request[Any], step: Callable[[Any], object], given: Any) -> None:
    """Run the rest of the handler, as the dispatcher does."""
    services: Any = request.services
    outcome = step(given)
    if outcome is not PARKED:
        request.respond(outcome)
    services.world.end_request()


def call(handler: Any, request: GroupRequest) -> Any:
    """The response, or None if the request is parked."""
    response = handler(request.request)
    if isinstance(response, Generator):
        response = finish(response)
    if response is not PARKED:
        request.respond(response)
    request.services.world.end_request()
    assert len(request.responses) <= 1
    return request.responses[0] if request.responses else None
