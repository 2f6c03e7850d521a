"""A request to a node with a group coordinator and two topics, as the group handlers get it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any
from uuid import UUID

from broker.api.outcome import PARKED
from broker.config import Config
from broker.steps.offload import Offload
from broker.steps.queue import finish
from broker.wait_records.wait import Wait
from protocol.codec import decode, encode
from tests.broker.api.handlers.held_verification import HeldVerification
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
        self.image = self.world.image
        for name, topic_id, partitions in (("t", T_ID, 2), ("u", U_ID, 1)):
            self.world.put_topic(name, partitions, topic_id)


class GroupRequest:
    """A request that stores its responses, as a client of that version decodes them."""

    def __init__(
        self, node: GroupServices, body: Any, version: int, client_id: str | None = "client"
    ) -> None:
        self.services = node
        self.body = decode(type(body), version, encode(body, version))
        self.version = version
        self.client_id = client_id
        self.client_host = "127.0.0.1"
        self.on_disconnect: Callable[[], None] | None = None
        self.wait: Wait | None = None
        self.responses: list[Any] = []

    def resume(self, request: GroupRequest, step: Callable[[Any], Any], given: Any) -> None:
        """Run the rest of the handler, as the dispatcher does."""
        outcome = step(given)
        if outcome is not PARKED:
            request.respond(outcome)
        self.services.world.end_request()

    def attempt(self, work: Callable[..., Any], *arguments: object) -> Any:
        """Call *work*; its exceptions propagate to the test."""
        return work(*arguments)

    def respond(self, response: Any) -> None:
        """Store a response."""
        self.responses.append(decode(type(response), self.version, encode(response, self.version)))


def call(handler: Any, request: GroupRequest) -> Any:
    """The response, or None if the request is parked."""
    response = handler(request)
    if isinstance(response, Generator):
        response = finish(response)
    if response is not PARKED:
        request.respond(response)
    request.services.world.end_request()
    assert len(request.responses) <= 1
    return request.responses[0] if request.responses else None
