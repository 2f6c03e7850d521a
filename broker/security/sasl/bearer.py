"""OAUTHBEARER: the client sends a token that it got elsewhere (RFC 7628, KIP-255).

The response to an invalid token is an error in JSON; the login fails when the client has received
it (``OAuthBearerSaslServer``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from broker.security.principal import user
from broker.security.sasl.bearer_messages import (
    ERROR_RECEIVED,
    InvalidMessage,
    error_message,
    first_message,
    parse_first,
)
from broker.security.sasl.mechanism import OAUTHBEARER, AuthenticationFailed, Login


class InvalidToken(Exception):  # noqa: N818 - it names the condition
    """A token is not accepted, because of *reason* or because it lacks ``scope``."""

    def __init__(self, reason: str, scope: str | None = None) -> None:
        super().__init__(reason)
        self.scope = scope


class BearerToken(NamedTuple):
    """The content of an accepted token; it expires at ``expires_ms`` (epoch)."""

    name: str
    expires_ms: float


# Returns the content of a token; raises `InvalidToken`.
Validator = Callable[[str], BearerToken]


class BearerServer:
    """The server's side."""

    def __init__(self, validate: Validator) -> None:
        self.login: Login | None = None
        self._validate = validate
        self._refused: AuthenticationFailed | None = None  # for a token that the client sent before

    def evaluate(self, token: bytes) -> bytes:
        """See `SaslServer.evaluate`."""
        if self._refused is not None and token == ERROR_RECEIVED:
            raise self._refused
        try:
            message = parse_first(token)
        except InvalidMessage as error:
            raise AuthenticationFailed(str(error)) from None
        try:
            accepted = self._validate(message.token)
        except InvalidToken as error:
            text = error_message(error.scope)
            self._refused = AuthenticationFailed(f"invalid token: {error}", text)
            return text.encode()
        if message.authorization_id not in ("", accepted.name):
            raise AuthenticationFailed(
                f"user {accepted.name!r} requests another authorization id",
                "Authentication failed: Client requested an authorization id "
                f"({message.authorization_id}) that is different from the token's principal name "
                f"({accepted.name})",
            )
        self.login = Login(user(accepted.name), accepted.expires_ms)
        return b""


class BearerClient:
    """The client's side."""

    mechanism = OAUTHBEARER

    def __init__(self, token: str) -> None:
        self.is_complete = False
        self._token = token

    def first(self) -> bytes:
        """The token."""
        return first_message(self._token)

    def evaluate(self, challenge: bytes) -> bytes | None:
        """Complete the login, or respond to the server's error."""
        if challenge:
            return ERROR_RECEIVED
        self.is_complete = True
        return None
