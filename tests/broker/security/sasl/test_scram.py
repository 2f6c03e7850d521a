"""SCRAM."""

from __future__ import annotations

import base64

import pytest
import scramp
from hypothesis import given
from hypothesis import strategies as st

from broker.security.principal import user
from broker.security.sasl import scram
from broker.security.sasl.credentials import TokenCredential, derive
from broker.security.sasl.mechanism import AuthenticationFailed, Login
from broker.security.sasl.scram import ScramClient, ScramServer
from tests.broker.security.sasl.credential_store import FakeStore

MECHANISMS = ["SCRAM-SHA-256", "SCRAM-SHA-512"]


def store_with(mechanism: str = "SCRAM-SHA-256", *, iterations: int = 4096) -> FakeStore:
    """Alice's credential."""
    store = FakeStore()
    store.add(mechanism, "alice", "pencil", iterations=iterations)
    return store


def log_in(client: ScramClient, server: ScramServer) -> None:
    """Pass tokens between both until the client is complete."""
    token: bytes | None = client.first()
    while token is not None:
        token = client.evaluate(server.evaluate(token))


def test_the_messages_are_those_of_rfc_7677(monkeypatch: pytest.MonkeyPatch) -> None:
    """Section 3: with its nonces, salt and password."""
    store = FakeStore()
    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    store.scrams["SCRAM-SHA-256", "user"] = derive("SCRAM-SHA-256", "pencil", salt)
    server = ScramServer("SCRAM-SHA-256", store)
    monkeypatch.setattr(scram, "new_nonce", lambda: "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0")

    first = server.evaluate(b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO")

    nonce = b"rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    assert first == b"r=" + nonce + b",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    final = server.evaluate(
        b"c=biws,r=" + nonce + b",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    assert final == b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
    assert server.login == Login(user("user"))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_another_client_logs_in(mechanism: str) -> None:
    """The server's signature is valid for it, too."""
    server = ScramServer(mechanism, store_with(mechanism))
    client = scramp.ScramClient([mechanism], "alice", "pencil")

    client.set_server_first(server.evaluate(client.get_client_first().encode()).decode())
    client.set_server_final(server.evaluate(client.get_client_final().encode()).decode())

    assert server.login == Login(user("alice"))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_client_logs_in_at_another_server(mechanism: str) -> None:
    """And verifies its signature."""
    other = scramp.ScramMechanism(mechanism)
    info = other.make_auth_info("pencil", iteration_count=4096)
    server = other.make_server(lambda _name: info)
    client = ScramClient(mechanism, "alice", "pencil")

    server.set_client_first(client.first().decode())
    final = client.evaluate(server.get_server_first().encode())
    assert final is not None
    server.set_client_final(final.decode())
    assert client.evaluate(server.get_server_final().encode()) is None

    assert client.is_complete


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", ["alice", "a,b=c", "*"])
def test_client_and_server_log_in(mechanism: str, name: str) -> None:
    """Names may have commas and equals signs."""
    store = FakeStore()
    store.add(mechanism, name, "pässword")
    client, server = ScramClient(mechanism, name, "pässword"), ScramServer(mechanism, store)

    log_in(client, server)

    assert client.is_complete
    assert server.login == Login(user(name))


@pytest.mark.parametrize(
    ("name", "password", "reason"),
    [("alice", "wrong", "wrong password of User:alice"), ("bob", "pencil", "unknown user 'bob'")],
)
def test_wrong_credentials_are_refused(name: str, password: str, reason: str) -> None:
    """The client gets the general message."""
    server = ScramServer("SCRAM-SHA-256", store_with())

    with pytest.raises(AuthenticationFailed, match=reason) as failed:
        log_in(ScramClient("SCRAM-SHA-256", name, password), server)

    assert failed.value.message is None
    assert server.login is None


def test_the_authorization_id_must_be_the_user() -> None:
    """It is checked before the proof."""
    server = ScramServer("SCRAM-SHA-256", store_with())
    server.evaluate(b"n,a=alice,n=alice,r=x")

    with pytest.raises(AuthenticationFailed) as failed:
        ScramServer("SCRAM-SHA-256", store_with()).evaluate(b"n,a=bob,n=alice,r=x")

    assert failed.value.message is not None
    assert "different from username" in failed.value.message


def test_a_credential_needs_4096_iterations() -> None:
    """Fewer are refused at the login."""
    store = store_with(iterations=4095)

    with pytest.raises(AuthenticationFailed, match="4096 iterations"):
        ScramServer("SCRAM-SHA-256", store).evaluate(b"n,,n=alice,r=x")


@pytest.mark.parametrize(
    ("final", "reason"),
    [
        (b"c=biws,r=other,p=cHJvb2Y=", "nonce"),
        (b"nonsense", "RFC 5802"),
    ],
)
def test_an_invalid_final_message_is_refused(final: bytes, reason: str) -> None:
    """Another nonce, or no message."""
    server = ScramServer("SCRAM-SHA-256", store_with())
    server.evaluate(b"n,,n=alice,r=x")

    with pytest.raises(AuthenticationFailed, match=reason):
        server.evaluate(final)


def test_a_proof_of_the_wrong_length_is_refused() -> None:
    """Kafka closes the connection without a response."""
    server = ScramServer("SCRAM-SHA-256", store_with())
    nonce = server.evaluate(b"n,,n=alice,r=x").split(b",")[0]

    with pytest.raises(AuthenticationFailed, match="wrong length"):
        server.evaluate(b"c=biws," + nonce + b",p=cHJvb2Y=")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_delegation_token_logs_in_as_its_owner(mechanism: str) -> None:
    """Until the token expires; its HMAC in Base64 is the password."""
    store = FakeStore()
    store.tokens["id"] = TokenCredential(user("alice"), b"hmac", 5000.0)
    password = base64.b64encode(b"hmac").decode()
    server = ScramServer(mechanism, store)

    log_in(ScramClient(mechanism, "id", password, is_token=True), server)

    assert server.login == Login(user("alice"), 5000.0, is_token_authenticated=True)


def test_a_token_is_not_a_user() -> None:
    """Without the extension its id is unknown, and a user's name is no token."""
    store = store_with()
    store.tokens["id"] = TokenCredential(user("alice"), b"hmac", 5000.0)

    with pytest.raises(AuthenticationFailed, match="unknown user"):
        ScramServer("SCRAM-SHA-256", store).evaluate(b"n,,n=id,r=x")
    with pytest.raises(AuthenticationFailed, match="unknown delegation token"):
        ScramServer("SCRAM-SHA-256", store).evaluate(b"n,,n=alice,r=x,tokenauth=true")


def test_the_client_checks_the_server() -> None:
    """Its nonce, its iterations and its signature."""
    client = ScramClient("SCRAM-SHA-256", "alice", "pencil")
    with pytest.raises(AuthenticationFailed, match="nonce"):
        client.evaluate(b"r=other,s=c2FsdA==,i=4096")
    own = client.first().rpartition(b"r=")[2]
    with pytest.raises(AuthenticationFailed, match="4096 iterations"):
        client.evaluate(b"r=" + own + b"x,s=c2FsdA==,i=1")
    assert client.evaluate(b"r=" + own + b"x,s=c2FsdA==,i=4096")
    with pytest.raises(AuthenticationFailed, match="does not know the password"):
        client.evaluate(b"v=c2FsdA==")
    assert not client.is_complete


@given(st.data())
def test_a_changed_message_never_logs_in(data: st.DataObject) -> None:
    """One byte of one of the client's messages is another one: no other exception, and no login."""
    server = ScramServer("SCRAM-SHA-256", store_with())
    client = ScramClient("SCRAM-SHA-256", "alice", "pencil")
    which = data.draw(st.integers(0, 1))
    try:
        token = client.first()
        for step in range(2):
            if step == which:
                # The last digits of a Base64 text have bits without a meaning.
                index = data.draw(st.integers(0, len(token) - 3))
                other = data.draw(st.integers(1, 255))
                token = token[:index] + bytes([token[index] ^ other]) + token[index + 1 :]
            challenge = server.evaluate(token)
            token = client.evaluate(challenge) or b""
    except AuthenticationFailed:
        pass

    assert server.login is None
