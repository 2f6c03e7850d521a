"""The properties of a request that most requests of a connection share: all but the names in it."""

from __future__ import annotations

from typing import NamedTuple

from broker.faults.rule_spec import FROM_ANY, FROM_BROKER, Match
from broker.security.principal import Principal


class RequestKind(NamedTuple):
    """Requests of one API that are equal in these properties; ``node`` receives them."""

    client_id: str | None
    version: int
    node: int
    principal: Principal
    listener: str
    is_from_broker: bool

    def matches(self, match: Match) -> bool:
        """Whether *match* has these properties, whatever its API and its names are."""
        return (
            match.version in (None, self.version)
            and match.node in (None, self.node)
            and match.listener in (None, self.listener)
            and (match.client is None or _is_client(match.client, self.client_id))
            and (match.principal is None or match.principal == str(self.principal))
            and (match.origin == FROM_ANY or self.is_from_broker is (match.origin == FROM_BROKER))
        )


def _is_client(wanted: str, client_id: str | None) -> bool:
    if wanted.endswith("*"):
        return client_id is not None and client_id.startswith(wanted[:-1])
    return wanted == client_id
