"""A node in memory with a listener of each security protocol."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from protocol.headers import encode_request
from protocol.messages.sasl_handshake import SaslHandshakeRequest
from tests.broker.security.tls.stores import authority_text, chain_text, key_text, leaf
from tests.client import Client, RunningNode, running_node
from tests.tls import client_context

LISTENERS = {
    "PLAINTEXT": "PLAINTEXT",
    "TLS": "SSL",
    "SASL": "SASL_PLAINTEXT",
    "SASLTLS": "SASL_SSL",
}
_JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="secret";'
SASL_HANDSHAKE = encode_request(SaslHandshakeRequest(mechanism="PLAIN"), 1, 1, "test")


class SecuredNode:
    """A node, and connections to its listeners."""

    def __init__(self, running: RunningNode) -> None:
        self.running = running
        self.node = running.node

    def client(self, listener: str = "PLAINTEXT") -> Client:
        """A new connection; its bytes are sent as they are, also to a listener with TLS."""
        return Client(*self.running.network.join(self.node.port, listener=listener))


@asynccontextmanager
async def secured_node(data_dir: Path, **config: str) -> AsyncIterator[SecuredNode]:
    """A running node; config keys have ``_`` for ``.``."""
    certificate = leaf()
    given = {
        "listeners": ",".join(
            f"{name}://127.0.0.1:{9092 + 10 * at}" for at, name in enumerate(LISTENERS)
        ),
        "listener_security_protocol_map": ",".join(map(":".join, LISTENERS.items())),
        "inter_broker_listener_name": "PLAINTEXT",
        "ssl_keystore_type": "PEM",
        "ssl_keystore_key": key_text(certificate),
        "ssl_keystore_certificate_chain": chain_text(certificate),
        "ssl_truststore_type": "PEM",
        "ssl_truststore_certificates": authority_text(),
        "sasl_enabled_mechanisms": "PLAIN",
        "listener_name_sasl_plain_sasl_jaas_config": _JAAS,
        "listener_name_sasltls_plain_sasl_jaas_config": _JAAS,
    }
    async with running_node(data_dir, **given, **config) as running:  # type: ignore[arg-type]  # only texts
        yield SecuredNode(running)


def client_hello() -> bytes:
    """The first message of a TLS client."""
    outgoing = ssl.MemoryBIO()
    tls = client_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()
    raise AssertionError("a client waits for the server's messages")
