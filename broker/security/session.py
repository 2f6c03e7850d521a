"""The client of a connection: its principal, its address, and the listener that it uses.

Kafka's ``RequestContext`` has the same facts for each request. Here a connection has one session;
authentication replaces it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from broker.security.principal import ANONYMOUS, Principal
from protocol.lazy_dataclass import dataclass


class SecurityProtocol(StrEnum):
    """How a listener is secured (``org.apache.kafka.common.security.auth.SecurityProtocol``)."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def has_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self in (SecurityProtocol.SSL, SecurityProtocol.SASL_SSL)

    @property
    def has_sasl(self) -> bool:
        """Whether the client logs in by SASL."""
        return self in (SecurityProtocol.SASL_PLAINTEXT, SecurityProtocol.SASL_SSL)


@dataclass(frozen=True, slots=True)
class Session:
    """``host`` is the client's address as Java writes it, since ACLs compare it as text.

    ``is_token_authenticated``: the client logged in with a delegation token.
    """

    principal: Principal = ANONYMOUS
    host: str = ""
    listener: str = "PLAINTEXT"
    protocol: SecurityProtocol = SecurityProtocol.PLAINTEXT
    is_token_authenticated: bool = False


ANONYMOUS_SESSION: Final = Session()
