"""PLAIN."""

from __future__ import annotations

import pytest

from broker.security.principal import user
from broker.security.sasl.mechanism import AuthenticationFailed, Login
from broker.security.sasl.plain import WRONG_AUTHORIZATION_ID, PlainClient, PlainServer

PASSWORDS = {"alice": "secret", "*": "star", "jürgen": "geheim"}


@pytest.mark.parametrize(
    ("token", "name"),
    [
        (b"\0alice\0secret", "alice"),
        (b"alice\0alice\0secret", "alice"),
        (b"\0*\0star", "*"),
        ("\0jürgen\0geheim".encode(), "jürgen"),
    ],
)
def test_the_password_of_a_user_is_accepted(token: bytes, name: str) -> None:
    """The authorization id is empty or the user."""
    server = PlainServer(PASSWORDS)

    assert server.evaluate(token) == b""
    assert server.login == Login(user(name))


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (b"\0alice\0wrong", "Authentication failed: Invalid username or password"),
        (b"\0bob\0secret", "Authentication failed: Invalid username or password"),
        (b"\0\0secret", "Authentication failed: username not specified"),
        (b"\0alice\0", "Authentication failed: password not specified"),
        (b"", "Invalid SASL/PLAIN response: expected 3 tokens, got 1"),
        (b"\0alice", "Invalid SASL/PLAIN response: expected 3 tokens, got 2"),
        (b"\0a\0b\0c\0d\0e", "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
        (
            b"bob\0alice\0secret",
            WRONG_AUTHORIZATION_ID,
        ),
        (b"bob\0alice\0wrong", "Authentication failed: Invalid username or password"),
        (b"\0alice\0\xff", "Authentication failed: Invalid username or password"),
    ],
)
def test_other_tokens_are_refused(token: bytes, message: str) -> None:
    """With Kafka's message, and a reason that does not have the password."""
    server = PlainServer(PASSWORDS)

    with pytest.raises(AuthenticationFailed) as failed:
        server.evaluate(token)

    assert failed.value.message == message
    assert "secret" not in failed.value.reason
    assert server.login is None


def test_an_empty_password_of_the_configuration_is_not_a_login() -> None:
    """Kafka refuses an empty password before it looks for the user."""
    with pytest.raises(AuthenticationFailed, match="password not specified"):
        PlainServer({"alice": ""}).evaluate(b"\0alice\0")


def test_a_client_logs_in() -> None:
    """In one token."""
    client, server = PlainClient("alice", "secret"), PlainServer(PASSWORDS)

    client.evaluate(server.evaluate(client.first()))

    assert client.is_complete
    assert server.login == Login(user("alice"))
