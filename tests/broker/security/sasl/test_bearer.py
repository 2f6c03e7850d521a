"""OAUTHBEARER."""

from __future__ import annotations

import pytest

from broker.security.principal import user
from broker.security.sasl.bearer import BearerClient, BearerServer, BearerToken, InvalidToken
from broker.security.sasl.mechanism import AuthenticationFailed, Login


def validate(token: str) -> BearerToken:
    """Accepts ``good``."""
    if token == "good":
        return BearerToken("alice", 5000.0)
    raise InvalidToken("it is not good", None if token == "bad" else "write")


def test_a_token_is_accepted() -> None:
    """The session may last as long as the token."""
    client, server = BearerClient("good"), BearerServer(validate)

    assert client.evaluate(server.evaluate(client.first())) is None

    assert client.is_complete
    assert server.login == Login(user("alice"), 5000.0)


@pytest.mark.parametrize(
    ("token", "error"),
    [
        ("bad", '{"status":"invalid_token"}'),
        ("weak", '{"status":"insufficient_scope", "scope":"write"}'),
    ],
)
def test_an_invalid_token_fails_when_the_client_has_received_the_error(
    token: str, error: str
) -> None:
    """The message is the error."""
    client, server = BearerClient(token), BearerServer(validate)
    challenge = server.evaluate(client.first())
    assert challenge == error.encode()
    received = client.evaluate(challenge)
    assert received == b"\x01"

    with pytest.raises(AuthenticationFailed) as failed:
        server.evaluate(received)

    assert failed.value.message == error
    assert server.login is None
    assert not client.is_complete


def test_a_good_token_in_place_of_the_response_is_accepted() -> None:
    """As in Kafka."""
    server = BearerServer(validate)
    server.evaluate(BearerClient("bad").first())

    assert server.evaluate(BearerClient("good").first()) == b""
    assert server.login is not None


def test_a_malformed_message_fails() -> None:
    """With the general message."""
    with pytest.raises(AuthenticationFailed) as failed:
        BearerServer(validate).evaluate(b"\x01")

    assert failed.value.message is None


def test_the_authorization_id_must_be_the_principal() -> None:
    """The message has both names."""
    server = BearerServer(validate)
    assert server.evaluate(b"n,a=alice,\x01auth=Bearer good\x01\x01") == b""

    with pytest.raises(AuthenticationFailed) as failed:
        BearerServer(validate).evaluate(b"n,a=bob,\x01auth=Bearer good\x01\x01")

    assert failed.value.message == (
        "Authentication failed: Client requested an authorization id (bob) that is different from "
        "the token's principal name (alice)"
    )
