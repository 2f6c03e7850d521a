"""The keys of signed tokens are on a web server (``sasl.oauthbearer.jwks.endpoint.url``)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.machine.deadlines import eventually
from integration.processes.server_process import free_ports
from integration.security.certificates import certificates
from integration.security.key_server import KeyServer, key_server
from integration.security.sasl import OAUTHBEARER, bearer
from integration.security.signed_tokens import EC_ID, key_set, signed_token
from integration.wire.connection import Connection
from protocol.headers import decode_response, encode_request
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from protocol.messages.sasl_handshake import SaslHandshakeRequest

_HANDLERS = "org.apache.kafka.common.security.oauthbearer"
_PREFIX = "listener.name.signed"
_ALLOWED = "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls"
_WITHIN_S = 60


@contextmanager
def running(against: str, server: KeyServer, **times: str) -> Iterator[str]:
    """A node whose clients have tokens that are verified by the server's keys: its address."""
    ports = dict(zip(("PLAINTEXT", "SIGNED"), free_ports(2), strict=True))
    listeners = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    trust = f'ssl.truststore.type=PEM ssl.truststore.location="{certificates().authority.path}"'
    # A module with options makes a token for Kafka's own logins.
    options = f'unsecuredLoginStringClaim_sub="broker" {trust}'
    at = ",".join(f"{name}://{address}" for name, address in listeners.items())
    config = {
        "listeners": at,
        "advertised.listeners": at,
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SIGNED:SASL_PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        f"{_PREFIX}.sasl.enabled.mechanisms": OAUTHBEARER,
        f"{_PREFIX}.oauthbearer.sasl.jaas.config": (
            f"{_HANDLERS}.OAuthBearerLoginModule required {options};"
        ),
        f"{_PREFIX}.oauthbearer.sasl.server.callback.handler.class": (
            f"{_HANDLERS}.OAuthBearerValidatorCallbackHandler"
        ),
        f"{_PREFIX}.sasl.oauthbearer.jwks.endpoint.url": server.url,
        f"{_PREFIX}.sasl.oauthbearer.expected.audience": "antechamber-tests",
        **{
            f"{_PREFIX}.sasl.oauthbearer.jwks.endpoint.{key.replace('_', '.')}": value
            for key, value in times.items()
        },
    }
    if against == "kafka":
        allowed = [f"{_ALLOWED}={server.url}"]
        with RealKafka(1, config, quick=True, listeners=listeners, jvm_options=allowed):
            yield listeners["SIGNED"]
    else:
        with Cluster(config=config):
            yield listeners["SIGNED"]


def accepts(address: str, token: str) -> bool:
    """Whether a client with that token can log in."""
    with Connection(address) as connection:
        connection.request(encode_request(SaslHandshakeRequest(mechanism=OAUTHBEARER), 1, 1, "a"))
        request = SaslAuthenticateRequest(auth_bytes=bearer(token))
        frame = connection.request(encode_request(request, 2, 2, "a"))
        response = decode_response(SaslAuthenticateResponse, 2, frame)[1]
        return response.error_code == 0 and not response.auth_bytes


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_keys_of_a_web_server_verify_tokens(against: str, scheme: str) -> None:
    """Options of the login module name the authority that has signed the server's certificate."""
    with (
        key_server(scheme, key_set().read_text()) as server,
        running(against, server) as address,
    ):
        assert accepts(address, signed_token("alice"))
        assert not accepts(address, signed_token("alice", with_key="stranger"))
        assert server.requests == 1


def test_keys_are_fetched_again_until_the_server_responds(against: str) -> None:
    """A token with an unknown key id begins attempts, with backoffs between them."""
    every = json.loads(key_set().read_text())["keys"]
    old = [key for key in every if key["kid"] == EC_ID]
    with (
        key_server("http", json.dumps({"keys": old})) as server,
        running(against, server, retry_backoff_ms="50", retry_backoff_max_ms="60000") as address,
    ):
        token = signed_token("alice")
        server.text, server.failures = json.dumps({"keys": every}), 3
        assert not accepts(address, token)

        eventually(lambda: accepts(address, token), "the new key", within=_WITHIN_S)

        assert server.requests == 1 + 3 + 1  # at the start, failed attempts, and the last one
