"""What all SASL mechanisms have in common: a server side, a client side, and how a login fails."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from broker.security.principal import Principal

PLAIN: Final = "PLAIN"
SCRAM_SHA_256: Final = "SCRAM-SHA-256"
SCRAM_SHA_512: Final = "SCRAM-SHA-512"
OAUTHBEARER: Final = "OAUTHBEARER"
GSSAPI: Final = "GSSAPI"


class AuthenticationFailed(Exception):  # noqa: N818 - it names the condition
    """A login has failed for *reason*, which is logged.

    ``message`` is the text for the client; None: the text that names only the mechanism.
    """

    def __init__(self, reason: str, message: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.message = message


class Login(NamedTuple):
    """Who has logged in.

    ``expires_ms`` is the time, in milliseconds since the Unix epoch, at which the credential
    expires; None if it does not.
    """

    principal: Principal
    expires_ms: float | None = None
    is_token_authenticated: bool = False


class SaslServer(Protocol):
    """The server's side of one login (``javax.security.sasl.SaslServer``).

    ``login`` is None until the login is complete.
    """

    login: Login | None

    def evaluate(self, token: bytes) -> bytes:
        """Process the client's next token and return the server's; raises `AuthenticationFailed`.

        The last token may be empty.
        """
        ...


class SaslClient(Protocol):
    """The client's side of one login (``javax.security.sasl.SaslClient``)."""

    mechanism: str
    is_complete: bool

    def first(self) -> bytes:
        """The client's first token."""
        ...

    def evaluate(self, challenge: bytes) -> bytes | None:
        """The next token after the server's *challenge*; None if there is none.

        Raises `AuthenticationFailed`.
        """
        ...
