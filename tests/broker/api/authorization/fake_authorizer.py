"""An authorizer that allows what a test lists, and records what it is asked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from broker.api.authorization.check import Check
from broker.api.request import Request, Resume
from broker.api.services import Services
from broker.node import Node
from broker.security.resource import CLUSTER_NAME, Operation, ResourceType
from broker.security.session import ANONYMOUS_SESSION, Session
from protocol.headers import RequestHeader
from tests.broker.api.fake_sink import FakeSink
from tests.client import running_node

Allowed = tuple[Operation, ResourceType, str]


class FakeAuthorizer:
    """Allows exactly *allowed*, or, if ``everything`` is set, all operations except *refused*.

    ``asked`` has the arguments of each call; the name of a resource is None if any of its type
    counts. ``logged`` has those of the refusals that an audit log has, and ``counted`` how often
    each request names each resource.
    """

    def __init__(
        self, *allowed: Allowed, everything: bool = False, refused: Check | None = None
    ) -> None:
        self.allowed = set(allowed)
        self.everything = everything
        self.refused = refused
        self.asked: list[tuple[Operation, ResourceType, str | None]] = []
        self.logged: list[Allowed] = []
        self.counted: dict[tuple[int | None, str], int] = {}
        self.sessions: set[Session] = set()

    def authorize(
        self,
        session: Session,
        operation: Operation,
        resource_type: ResourceType,
        name: str,
        *,
        api_key: int | None = None,
        resource_count: int = 1,
        is_refusal_logged: bool = True,
    ) -> bool:
        self.sessions.add(session)
        self.counted[api_key, name] = resource_count
        asked = operation, resource_type, name
        self.asked.append(asked)
        is_allowed = self._is_any_allowed(operation, resource_type) or asked in self.allowed
        if is_refusal_logged and not is_allowed:
            self.logged.append(asked)
        return is_allowed

    def authorize_by_resource_type(
        self, session: Session, operation: Operation, resource_type: ResourceType
    ) -> bool:
        self.sessions.add(session)
        self.asked.append((operation, resource_type, None))
        kinds = {(operation, resource_type) for operation, resource_type, _ in self.allowed}
        is_listed = (operation, resource_type) in kinds
        return self._is_any_allowed(operation, resource_type) or is_listed

    def _is_any_allowed(self, operation: Operation, resource_type: ResourceType) -> bool:
        return self.everything and (operation, resource_type) != self.refused


def install(node: Node, authorizer: FakeAuthorizer | None) -> None:
    """Let *authorizer* decide about the requests of a running node from now on."""
    object.__setattr__(node.services, "authorizer", authorizer)


def request_with(authorizer: FakeAuthorizer | None, body: Any) -> Request[Any]:
    """A request to a node that has nothing but an authorizer."""
    services = cast("Services", SimpleNamespace(authorizer=authorizer))
    header = RequestHeader(body.__spec__.key, body.__spec__.versions[-1], 1, "test")
    resume = cast("Resume", None)
    return Request(header, body, services, resume, FakeSink(), "host", session=ANONYMOUS_SESSION)


def on_topic(operation: Operation, *names: str) -> list[Allowed]:
    """What allows the operation on each topic."""
    return [(operation, ResourceType.TOPIC, name) for name in names]


def on_group(operation: Operation, *names: str) -> list[Allowed]:
    """What allows the operation on each group."""
    return [(operation, ResourceType.GROUP, name) for name in names]


def on_transactional_id(operation: Operation, *names: str) -> list[Allowed]:
    """What allows the operation on each transactional id."""
    return [(operation, ResourceType.TRANSACTIONAL_ID, name) for name in names]


def on_cluster(operation: Operation) -> Allowed:
    """What allows the operation on the cluster."""
    return operation, ResourceType.CLUSTER, CLUSTER_NAME


async def send(tmp_path: Path, body: Any, version: int | None, *allowed: Allowed) -> Any:
    """The response of a node with the topics a, b and c to a client that may do *allowed*."""
    async with running_node(tmp_path) as node:
        for name in ("a", "b", "c"):
            node.controller.create_topic(name)
        install(node.node, FakeAuthorizer(*allowed))
        return await node.client().send(body, version)
