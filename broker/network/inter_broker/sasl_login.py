"""The login of a node at another node, or at itself (``SaslClientAuthenticator``).

A connection whose session has a lifetime logs in again before that ends, between two requests, as
Kafka's clients do (KIP-368).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from math import inf
from typing import Any, Final

from broker.network.inter_broker.request_sender import RequestSender
from broker.network.transports.transport import Disconnected, Transport
from broker.security.sasl.mechanism import AuthenticationFailed, SaslClient
from protocol.codec import Malformed
from protocol.errors import ErrorCode
from protocol.framing import Scratch
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest

log = logging.getLogger("antechamber.authentication")

_CLIENT_ID = "node"

# The part of a session's lifetime after which a node logs in again. Kafka's clients draw it between
# 0.85 and 0.95.
_LIFETIME_PART: Final = 0.9


class LoginFailed(ConnectionRefusedError):  # noqa: N818 - it names the condition
    """The other node does not accept the login."""


class NodeLogin:
    """The logins of one connection to *peer*; *begin* returns the client's side of each.

    The user sends the requests: that of `first`, then that of `following` for each response.
    """

    __slots__ = ("_begin", "_due_ms", "_now_ms", "_peer", "_requests")

    def __init__(
        self, peer: str, begin: Callable[[], SaslClient], now_ms: Callable[[], float]
    ) -> None:
        self._peer = peer
        self._begin = begin
        self._now_ms = now_ms
        self._due_ms = -inf  # when the next login begins
        self._requests: Generator[Any, Any, int] | None = None  # of the login in progress

    @property
    def is_due(self) -> bool:
        """Whether the connection logs in before its next request."""
        return self._now_ms() >= self._due_ms

    def first(self) -> Any:
        """The first request of a login."""
        self._requests = _requests(self._begin())
        return next(self._requests)

    def following(self, response: Any) -> Any | None:
        """The request that follows *response*; None if the login is complete.

        Raises `LoginFailed`.
        """
        assert self._requests is not None
        try:
            return self._requests.send(response)
        except StopIteration as complete:
            lifetime_ms = complete.value
        except AuthenticationFailed as failure:
            raise self.failed(failure) from None
        self._requests = None
        self._due_ms = self._now_ms() + lifetime_ms * _LIFETIME_PART if lifetime_ms else inf
        return None

    def failed(self, reason: Exception) -> LoginFailed:
        """The exception for a login that has failed; it is logged."""
        log.warning("the login at %s failed: %s", self._peer, reason)
        return LoginFailed(str(reason))


def _requests(client: SaslClient) -> Generator[Any, Any, int]:
    """The requests of a login; returns the lifetime of the session in ms, 0 if it has none.

    It is sent the responses. Raises `AuthenticationFailed`.
    """
    try:
        return (yield from _exchange(client))
    except AuthenticationFailed as failure:
        raise AuthenticationFailed(f"mechanism {client.mechanism}: {failure}") from None


def _exchange(client: SaslClient) -> Generator[Any, Any, int]:
    shaken = yield SaslHandshakeRequest(mechanism=client.mechanism)
    if shaken.error_code != ErrorCode.NONE:
        enabled = ", ".join(shaken.mechanisms) or "none"
        raise AuthenticationFailed(f"the mechanism is not enabled there; enabled: {enabled}")
    lifetime_ms = 0
    token: bytes | None = client.first()
    while token is not None:
        response = yield SaslAuthenticateRequest(auth_bytes=token)
        if response.error_code != ErrorCode.NONE:
            raise AuthenticationFailed(response.error_message or f"error {response.error_code}")
        lifetime_ms = response.session_lifetime_ms
        token = client.evaluate(bytes(response.auth_bytes))
    return lifetime_ms


async def log_in(transport: Transport, login: NodeLogin, scratch: Scratch) -> None:
    """Log in over a new connection; raises `LoginFailed`, and then the connection is closed."""
    sender = RequestSender(transport, scratch, _CLIENT_ID)
    request = login.first()
    try:
        while request is not None:
            request = login.following(await sender.response(request))
    except (Disconnected, Malformed) as failure:
        raise login.failed(failure) from None
    finally:
        if request is not None:
            transport.close()
