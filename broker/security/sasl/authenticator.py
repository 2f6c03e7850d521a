"""The state of one connection's login and of its session (``SaslServerAuthenticator``, KIP-368).

    INITIAL --ApiVersions--> HANDSHAKE --SaslHandshake--> AUTHENTICATE --last token--> COMPLETE
       `-----------------SaslHandshake--------------------^    ^                          |
                                                               `--- re-authentication ----'

The session of a credential that expires, or of a listener with ``connections.max.reauth.ms``, has a
lifetime. No timer ends it: the first request after it closes the connection, unless that is the
handshake of a re-authentication.
"""

from __future__ import annotations

from enum import Enum, auto
from math import inf
from typing import Final, NamedTuple

from broker.common.clock import Clock
from broker.security.sasl.mechanism import AuthenticationFailed, Login, SaslServer
from broker.security.sasl.settings import SaslSettings
from protocol.lazy_dataclass import dataclass

# A re-authentication that begins sooner after the one before is refused.
_REAUTHENTICATION_INTERVAL_MS: Final = 1000


class State(Enum):
    """What the client sends next."""

    INITIAL = auto()  # ApiVersions or SaslHandshake
    HANDSHAKE = auto()  # SaslHandshake
    AUTHENTICATE = auto()  # a token
    COMPLETE = auto()  # requests


class HandshakeOutcome(Enum):
    """What follows a SaslHandshake."""

    ACCEPTED = auto()
    UNSUPPORTED_MECHANISM = auto()
    ILLEGAL_STATE = auto()  # no re-authentication is possible now; the session continues
    MECHANISM_NOT_ENABLED = auto()  # in a re-authentication: the connection closes


class Step(NamedTuple):
    """The server's token, and the lifetime of the session if the login is complete (0: none)."""

    token: bytes
    session_lifetime_ms: int = 0


@dataclass(slots=True)
class _Attempt:
    """A login in progress; ``server`` is None if its mechanism is not the session's."""

    mechanism: str
    server: SaslServer | None


class SaslAuthenticator:
    """The logins of one connection.

    ``login`` is the present one; ``has_raw_tokens``: tokens are frames without a header, after a
    SaslHandshake v0.
    """

    __slots__ = (
        "_attempt",
        "_clock",
        "_expires_ms",
        "_mechanism",
        "_reauthentication_began_ms",
        "_settings",
        "has_raw_tokens",
        "login",
        "state",
    )

    def __init__(self, settings: SaslSettings, clock: Clock) -> None:
        self.state = State.INITIAL
        self.login: Login | None = None
        self.has_raw_tokens = False
        self._settings = settings
        self._clock = clock
        self._attempt: _Attempt | None = None
        self._mechanism = ""  # of the session
        self._expires_ms = inf  # of the session, on the monotonic clock
        self._reauthentication_began_ms = -inf

    @property
    def has_expired(self) -> bool:
        """Whether the session has ended."""
        return self._clock.now_ms() >= self._expires_ms

    @property
    def has_lifetime(self) -> bool:
        """Whether the session ends some time."""
        return self._expires_ms < inf

    @property
    def mechanism(self) -> str:
        """The mechanism of the login in progress, or else of the session; empty if unknown."""
        return self._mechanism if self._attempt is None else self._attempt.mechanism

    def versions_sent(self) -> None:
        """Expect a handshake next; the client does not request the versions again."""
        self.state = State.HANDSHAKE

    def handshake(self, mechanism: str, version: int) -> HandshakeOutcome:
        """Begin a login, or a re-authentication."""
        if self.state is State.COMPLETE and not self._may_reauthenticate():
            return HandshakeOutcome.ILLEGAL_STATE
        enabled = self._settings.mechanisms.get(mechanism)
        if enabled is None:
            if self.login is not None:
                return HandshakeOutcome.MECHANISM_NOT_ENABLED
            return HandshakeOutcome.UNSUPPORTED_MECHANISM
        is_other = self.login is not None and mechanism != self._mechanism
        self._attempt = _Attempt(mechanism, None if is_other else enabled.server())
        self.has_raw_tokens = version == 0
        self.state = State.AUTHENTICATE
        return HandshakeOutcome.ACCEPTED

    def _may_reauthenticate(self) -> bool:
        now_ms = self._clock.now_ms()
        is_early = now_ms - self._reauthentication_began_ms < _REAUTHENTICATION_INTERVAL_MS
        if not self.has_lifetime or is_early:
            return False
        self._reauthentication_began_ms = now_ms
        return True

    @property
    def has_other_mechanism(self) -> bool:
        """Whether a re-authentication has begun with another mechanism than the session's."""
        return self._attempt is not None and self._attempt.server is None

    def authenticate(self, token: bytes) -> Step:
        """Process a token; raises `AuthenticationFailed` with a message for the client."""
        attempt = self._attempt
        assert attempt is not None
        server = attempt.server
        assert server is not None, "the connection closes instead"
        try:
            reply = server.evaluate(token)
            if server.login is not None:
                self._check_principal(server.login)
        except AuthenticationFailed as failure:
            raise AuthenticationFailed(
                failure.reason, failure.message or self._general_message(attempt.mechanism)
            ) from None
        if server.login is None:
            return Step(reply)
        return Step(reply, self._complete(attempt.mechanism, server.login))

    def _complete(self, mechanism: str, login: Login) -> int:
        """Begin the session; returns its lifetime."""
        self.state = State.COMPLETE
        self._attempt = None
        self.login, self._mechanism = login, mechanism
        limits_ms = []
        if login.expires_ms is not None:
            limits_ms.append(max(0, login.expires_ms - self._clock.wall_ms()))
        max_reauth_ms = self._settings.mechanisms[mechanism].max_reauth_ms
        if max_reauth_ms > 0:
            limits_ms.append(max_reauth_ms)
        lifetime_ms = min(limits_ms, default=inf)
        self._expires_ms = self._clock.now_ms() + lifetime_ms
        return int(lifetime_ms) if limits_ms else 0

    def _check_principal(self, login: Login) -> None:
        """Raise `AuthenticationFailed` if a re-authentication is that of another client."""
        if self.login is None or login.principal == self.login.principal:
            return
        old, new = self.login.principal, login.principal
        raise AuthenticationFailed(
            f"the session is that of {old}, and not of {new}",
            "Cannot change principals during re-authentication from "
            f"{old.type}.{old.name}: {new.type}.{new.name}",
        )

    def _general_message(self, mechanism: str) -> str:
        again = "" if self.login is None else "re-"
        return (
            f"Authentication failed during {again}authentication due to invalid credentials with "
            f"SASL mechanism {mechanism}"
        )
