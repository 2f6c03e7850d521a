"""A node whose clients log in by SASL, and a client that does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from broker.api.authentication.sasl_connection import SaslListener
from broker.api.dispatch import Dispatcher
from broker.network.clients.connection_setup import Opening
from broker.network.transports.transport import Transport
from broker.security.sasl.mechanism import SaslClient
from broker.security.sasl.settings import SaslSettings
from broker.security.session import SecurityProtocol, Session
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from tests.broker.security.sasl.credential_store import FakeStore
from tests.client import Client, RunningNode, running_node

_COMMON = "org.apache.kafka.common.security."
JAAS = {
    "plain": f'{_COMMON}plain.PlainLoginModule required user_alice="secret" user_bob="geheim";',
    "scram-sha-256": f"{_COMMON}scram.ScramLoginModule required;",
    "scram-sha-512": f"{_COMMON}scram.ScramLoginModule required;",
    "oauthbearer": f"{_COMMON}oauthbearer.OAuthBearerLoginModule required;",
}
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]
SASL = {
    "sasl.enabled.mechanisms": ",".join(MECHANISMS),
    **{
        f"listener.name.clients.{mechanism}.sasl.jaas.config": line
        for mechanism, line in JAAS.items()
    },
}


class SaslSetup:
    """A `broker.network.clients.connection_setup.ConnectionSetup`."""

    def __init__(self, listener: SaslListener) -> None:
        self._listener = listener

    def open(self, transport: Transport) -> Opening:
        """See `ConnectionSetup.open`."""
        session = Session(listener="CLIENTS", protocol=SecurityProtocol.SASL_PLAINTEXT)
        listener, limit = self._listener, self._listener.settings.receive_bytes_max
        return Opening(transport, session, listener.begin, limit, listener.refuse_length)


class SaslNode:
    """A running node with the credentials of its users."""

    def __init__(self, running: RunningNode, store: FakeStore) -> None:
        self.running = running
        self.store = store

    @property
    def parked(self) -> list[Any]:
        """The requests that wait, as the admin interface lists them."""
        return [
            connection.in_progress
            for connection in self.running.node.connections
            if connection.in_progress is not None
        ]

    def client(self) -> Client:
        """A new connection."""
        return self.running.client()

    async def logged_in(self, sasl: SaslClient, version: int = 2) -> Client:
        """A connection that has logged in."""
        client = self.client()
        await log_in(client, sasl, version)
        return client


async def log_in(client: Client, sasl: SaslClient, version: int = 2) -> Any:
    """Log in; returns the last response, whose error may be any."""
    shaken = await client.send(SaslHandshakeRequest(mechanism=sasl.mechanism), 1)
    assert shaken.error_code == 0
    token: bytes | None = sasl.first()
    while token is not None:
        response = await client.send(SaslAuthenticateRequest(auth_bytes=token), version)
        if response.error_code != 0:
            return response
        token = sasl.evaluate(bytes(response.auth_bytes))
    return response


@asynccontextmanager
async def sasl_node(data_dir: Path, **config: str) -> AsyncIterator[SaslNode]:
    """A node whose listener has all mechanisms; config keys have ``_`` for ``.``."""
    given: Any = {key.replace(".", "_"): value for key, value in SASL.items()} | config
    async with running_node(data_dir, **given) as running:
        node, store = running.node, FakeStore()
        settings = SaslSettings.of(node.config, "CLIENTS", store, node.clock)
        dispatcher, limit = (
            Dispatcher(node.services, node.recorder),
            node.config.socket_request_max_bytes,
        )
        listener = SaslListener(settings, dispatcher, node.timer, node.clock, limit)
        node.listeners = {"PLAINTEXT": SaslSetup(listener)}
        yield SaslNode(running, store)
