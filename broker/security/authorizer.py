"""What handlers use of an authorizer (``org.apache.kafka.server.authorizer.Authorizer``)."""

from __future__ import annotations

from typing import Protocol

from broker.security.resource import Operation, ResourceType
from broker.security.session import Session


class Authorizer(Protocol):
    """Decides which operations a client may do on which resources."""

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
        """Whether the client may do *operation* on the resource *name*.

        The audit log has ``api_key``, which is that of the request, and ``resource_count``, the
        number of times that the request names the resource.
        ``is_refusal_logged`` is false where a refusal only leaves a resource out of a response.
        """
        ...

    def authorize_by_resource_type(
        self, session: Session, operation: Operation, resource_type: ResourceType
    ) -> bool:
        """Whether the client may do *operation* on at least one resource of the type."""
        ...
