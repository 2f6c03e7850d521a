"""A request as fault rules see it."""

from __future__ import annotations

from typing import Any

from broker.faults.named_parts import NameOf, Parts, Unnamed
from broker.faults.rule_spec import FROM_ANY, FROM_BROKER, Match
from broker.faults.senders import is_from_broker
from broker.security.session import Session
from protocol.headers import RequestHeader


class Subject:
    """A decoded request to node ``node``; what it names is determined when a rule needs it."""

    __slots__ = (
        "_is_from_broker",
        "_name_of",
        "_parts",
        "_unnamed",
        "body",
        "header",
        "node",
        "session",
    )

    def __init__(
        self,
        header: RequestHeader,
        body: Any,
        session: Session,
        node: int,
        name_of: NameOf,
        unnamed: Unnamed | None = None,
    ) -> None:
        self.header = header
        self.body = body
        self.session = session
        self.node = node
        self._name_of = name_of
        self._unnamed = unnamed
        self._parts: Parts | None = None
        self._is_from_broker: bool | None = None

    @property
    def client_id(self) -> str | None:
        """The client's name for itself."""
        return self.header.client_id

    @property
    def parts(self) -> Parts:
        """The topics, partitions, groups and transactional ids of the request."""
        parts = self._parts
        if parts is None:
            parts = self._parts = Parts(self.body, self._name_of, self._unnamed)
        return parts

    def matches(self, match: Match) -> bool:
        """Whether all properties of *match* but its API are those of the request."""
        header, session = self.header, self.session
        return (
            match.version in (None, header.api_version)
            and match.node in (None, self.node)
            and match.listener in (None, session.listener)
            and (match.client is None or _is_client(match.client, header.client_id))
            and (match.principal is None or match.principal == str(session.principal))
            and self.has_origin(match.origin)
            and (
                (match.topic is match.group is match.transactional_id is None is match.partition)
                or self._names(match)
            )
        )

    def has_origin(self, origin: str) -> bool:
        """Whether the request is from a client or another node, as *origin* says."""
        return origin == FROM_ANY or self.is_from_broker is (origin == FROM_BROKER)

    @property
    def is_from_broker(self) -> bool:
        """Whether another node has sent the request."""
        known = self._is_from_broker
        if known is None:
            header = self.header
            known = is_from_broker(header.api_key, header.api_version, self.body)
            self._is_from_broker = known
        return known

    def _names(self, match: Match) -> bool:
        parts = self.parts
        has_partition = (match.topic is None and match.partition is None) or parts.has_partition(
            match.topic, match.partition
        )
        return (
            has_partition
            and (match.group is None or match.group in parts.groups)
            and (
                match.transactional_id is None or match.transactional_id in parts.transactional_ids
            )
        )


def _is_client(wanted: str, client_id: str | None) -> bool:
    if wanted.endswith("*"):
        return client_id is not None and client_id.startswith(wanted[:-1])
    return wanted == client_id
