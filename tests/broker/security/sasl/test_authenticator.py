"""The state of a login and of its session; `test_sasl_connection` has it with a connection."""

from __future__ import annotations

import pytest
import trio

from broker.common.clock import TrioClock
from broker.security.principal import user
from broker.security.sasl.authenticator import HandshakeOutcome, SaslAuthenticator, State
from broker.security.sasl.bearer import BearerServer, BearerToken
from broker.security.sasl.mechanism import AuthenticationFailed, Login
from broker.security.sasl.plain import PlainServer
from broker.security.sasl.settings import MechanismSettings, SaslSettings

pytestmark = pytest.mark.anyio


def authenticator(max_reauth_ms: int = 0, token_ms: float = 0) -> SaslAuthenticator:
    """With PLAIN, and OAUTHBEARER with tokens of alice that expire at *token_ms*."""
    passwords = {"alice": "secret", "bob": "geheim"}
    mechanisms = {
        "PLAIN": MechanismSettings(lambda: PlainServer(passwords), max_reauth_ms),
        "OAUTHBEARER": MechanismSettings(
            lambda: BearerServer(lambda _token: BearerToken("alice", token_ms)), max_reauth_ms
        ),
    }
    return SaslAuthenticator(SaslSettings(mechanisms, 100, 1000), TrioClock(0))


async def test_a_login_without_a_lifetime() -> None:
    """Its session does not end, and no other login follows."""
    login = authenticator()
    login.versions_sent()
    assert login.state is State.HANDSHAKE
    assert login.handshake("PLAIN", 1) is HandshakeOutcome.ACCEPTED
    assert login.mechanism == "PLAIN"

    assert login.authenticate(b"\0alice\0secret") == (b"", 0)

    assert login.login == Login(user("alice"))
    assert not login.has_lifetime
    assert login.handshake("PLAIN", 1) is HandshakeOutcome.ILLEGAL_STATE
    await trio.sleep(80_000)
    assert not login.has_expired


@pytest.mark.parametrize(
    ("max_reauth_ms", "token_ms", "lifetime_ms"),
    [(0, 5000.0, 5000), (3000, 5000.0, 3000), (7000, 5000.0, 5000), (0, -10.0, 0)],
)
async def test_a_session_ends_with_its_token_or_after_its_limit(
    max_reauth_ms: int, token_ms: float, lifetime_ms: int
) -> None:
    """A token that has expired within the allowed skew begins a session that has ended."""
    login = authenticator(max_reauth_ms, token_ms)
    login.handshake("OAUTHBEARER", 1)

    step = login.authenticate(b"n,,\x01auth=Bearer t\x01\x01")

    assert step.session_lifetime_ms == lifetime_ms
    assert login.has_lifetime
    assert login.has_expired == (lifetime_ms == 0)
    await trio.sleep(lifetime_ms / 1000)
    assert login.has_expired


async def test_a_failure_has_a_message_for_the_client() -> None:
    """The mechanism's own, or the general one."""
    login = authenticator()
    login.handshake("OAUTHBEARER", 1)
    with pytest.raises(AuthenticationFailed) as general:
        login.authenticate(b"x")
    assert general.value.message == (
        "Authentication failed during authentication due to invalid credentials with SASL "
        "mechanism OAUTHBEARER"
    )
    login = authenticator()
    login.handshake("PLAIN", 1)

    with pytest.raises(AuthenticationFailed) as own:
        login.authenticate(b"\0alice\0wrong")

    assert own.value.message == "Authentication failed: Invalid username or password"


async def test_mechanisms_that_are_not_enabled() -> None:
    """They are unsupported at first, and end a session."""
    login = authenticator(5000)
    assert login.handshake("GSSAPI", 1) is HandshakeOutcome.UNSUPPORTED_MECHANISM
    login.handshake("PLAIN", 1)
    login.authenticate(b"\0alice\0secret")

    assert login.handshake("GSSAPI", 1) is HandshakeOutcome.MECHANISM_NOT_ENABLED
    await trio.sleep(1)
    assert login.handshake("OAUTHBEARER", 1) is HandshakeOutcome.ACCEPTED
    assert login.has_other_mechanism


async def test_a_session_keeps_its_principal() -> None:
    """A re-authentication of another user fails."""
    login = authenticator(5000)
    login.handshake("PLAIN", 0)
    assert login.has_raw_tokens
    login.authenticate(b"\0alice\0secret")
    login.handshake("PLAIN", 1)
    assert not login.has_raw_tokens

    with pytest.raises(AuthenticationFailed, match=r"User:alice, and not of User:bob"):
        login.authenticate(b"\0bob\0geheim")
