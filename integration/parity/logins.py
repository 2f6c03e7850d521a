"""Logins by SASL: connections of a user, single steps, and how they end."""

from __future__ import annotations

import ssl
from typing import Any

from integration.parity.client import Client, Closed, PendingFrame
from integration.parity.scenario import Kafka
from integration.security.certificates import certificates
from integration.security.listeners import FAILURE_DELAY_MS
from integration.security.sasl import ITERATIONS, PLAIN, SHA_256, Scram, plain, salted
from integration.security.tls_socket import client_context
from integration.security.users import password_of
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from protocol.messages.metadata import MetadataRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest

MECHANISM_CODES = {SHA_256: 1, "SCRAM-SHA-512": 2}
PASSWORD = "word"
SALT = b"salt-of-a-user"


def handshake(mechanism: str) -> SaslHandshakeRequest:
    """SaslHandshake."""
    return SaslHandshakeRequest(mechanism=mechanism)


def authenticate(token: bytes) -> SaslAuthenticateRequest:
    """SaslAuthenticate."""
    return SaslAuthenticateRequest(auth_bytes=token)


def trusting() -> ssl.SSLContext:
    """A TLS client that trusts the broker and has no certificate."""
    return client_context(certificates().authority.path)


def with_certificate() -> ssl.SSLContext:
    """A TLS client that trusts the broker and has a certificate."""
    return client_context(certificates().authority.path, certificates().client.path)


def log_in(kafka: Kafka, user: str, *, listener: str = "SASL", client_id: str = "parity") -> Client:
    """Return a connection on which a user has logged in by PLAIN."""
    client = kafka.connect(listener=listener, client_id=client_id)
    response = log_in_again(client, user)
    assert response.error_code == 0, response
    return client


def log_in_again(client: Client, user: str) -> Any:
    """Log in by PLAIN on a connection, and return the last response."""
    assert client.request(handshake(PLAIN), 1).error_code == 0
    return client.request(authenticate(plain(user, password_of(user))), 2)


def outcome(client: Client, pending: PendingFrame) -> tuple[object, ...]:
    """When the response came, the response, and whether the connection is closed after it."""
    seen: object
    try:
        seen = pending.response() if hasattr(pending, "response") else pending.frame()
    except Closed:
        seen = "no response"
    when = pending.wait.reached(FAILURE_DELAY_MS)
    return when, seen, "open" if _serves(client) else "closed"


def _serves(client: Client) -> bool:
    """Whether a connection serves requests; otherwise the broker closes it."""
    try:
        client.request(MetadataRequest(topics=[]))
    except Closed:
        return False
    return True


def started_handshake(kafka: Kafka, mechanism: str, *, listener: str = "SASL") -> Client:
    """Return a connection on which the mechanism has been chosen (SaslHandshake v1)."""
    client = kafka.connect(listener=listener)
    assert client.request(handshake(mechanism), 1).error_code == 0
    return client


def token_outcome(
    kafka: Kafka, mechanism: str, token: bytes, *, listener: str = "SASL", version: int = 2
) -> tuple[object, ...]:
    """Send the first token of a mechanism on a new connection, and return its outcome."""
    client = started_handshake(kafka, mechanism, listener=listener)
    return outcome(client, client.start(authenticate(token), version))


def add_scram_user(kafka: Kafka, mechanism: str = SHA_256, *, iterations: int = ITERATIONS) -> str:
    """Create a user with a SCRAM credential, and wait until the node knows it."""
    user = kafka.new_name("user")
    password = salted(mechanism, PASSWORD, SALT, iterations)
    upsertion = ScramCredentialUpsertion(
        name=user,
        mechanism=MECHANISM_CODES[mechanism],
        iterations=iterations,
        salt=SALT,
        salted_password=password,
    )
    requested = AlterUserScramCredentialsRequest(deletions=[], upsertions=[upsertion])
    assert kafka.request(requested).results[0].error_code == 0
    kafka.settle()
    return user


def scram_outcome(
    client: Client, scram: Scram, *, binding: str | None = None, nonce: str = "{}", version: int = 2
) -> tuple[object, ...]:
    """Log in by SCRAM after a handshake; the outcome of the final message, or of the first one.

    The signature of the server is checked and not shown.
    """
    first = client.start(authenticate(scram.first()), version)
    try:
        response = first.response()
    except Closed:
        return "first message", *outcome(client, first)
    if response.error_code:
        return "first message", *outcome(client, first)
    final = scram.final(bytes(response.auth_bytes), binding=binding, nonce=nonce)
    pending = client.start(authenticate(final), version)
    when, seen, end = outcome(client, pending)
    if not isinstance(seen, str) and seen.error_code == 0:  # type: ignore[attr-defined] # a response
        is_signed = scram.is_signed(bytes(seen.auth_bytes))  # type: ignore[attr-defined] # the same
        return "logged in", when, "signed" if is_signed else "not signed", end
    return "final message", when, seen, end
