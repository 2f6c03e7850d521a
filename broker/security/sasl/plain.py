"""PLAIN: the client sends its name and password (RFC 4616, Kafka's ``PlainSaslServer``)."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from broker.security.principal import user
from broker.security.sasl.mechanism import PLAIN, AuthenticationFailed, Login

_SEPARATOR = "\0"
_TOKENS = 3
# With more tokens Kafka stops counting.
_COUNTED_MAX = 4
WRONG_AUTHORIZATION_ID = (
    "Authentication failed: Client requested an authorization id that is different from username"
)


class PlainServer:
    """The server's side; ``passwords`` are those of the accepted users by name."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        self.login: Login | None = None
        self._passwords = passwords

    def evaluate(self, token: bytes) -> bytes:
        """Check ``authorization-id NUL name NUL password``; see `SaslServer.evaluate`."""
        parts = token.decode(errors="replace").split(_SEPARATOR)
        if len(parts) != _TOKENS:
            count = min(len(parts), _COUNTED_MAX)
            message = f"Invalid SASL/PLAIN response: expected {_TOKENS} tokens, got {count}"
            raise AuthenticationFailed("the token is malformed", message)
        authorization_id, name, password = parts
        for value, missing in ((name, "username"), (password, "password")):
            if not value:
                reason = f"{missing} not specified"
                raise AuthenticationFailed(reason, f"Authentication failed: {reason}")
        expected = self._passwords.get(name)
        # A password is compared for unknown users as well, so that both take the same time.
        is_equal = hmac.compare_digest(password.encode(), (expected or "").encode())
        if expected is None or not is_equal:
            what = "unknown user" if expected is None else "wrong password of user"
            raise AuthenticationFailed(
                f"{what} {name!r}", "Authentication failed: Invalid username or password"
            )
        if authorization_id not in ("", name):
            raise AuthenticationFailed(
                f"user {name!r} requests another authorization id", WRONG_AUTHORIZATION_ID
            )
        self.login = Login(user(name))
        return b""


class PlainClient:
    """The client's side."""

    mechanism = PLAIN

    def __init__(self, name: str, password: str) -> None:
        self.is_complete = False
        self._token = f"{_SEPARATOR}{name}{_SEPARATOR}{password}".encode()

    def first(self) -> bytes:
        """The only token."""
        return self._token

    def evaluate(self, _challenge: bytes) -> None:
        """Complete the login; the server's token is empty."""
        self.is_complete = True
