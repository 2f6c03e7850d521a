"""Connections between nodes over TLS: `broker.network.inter_broker.tls_connect`."""

from __future__ import annotations

import pytest
import trio

from broker.config.broker_config import parse_config
from broker.network.inter_broker.tls_connect import connect_with_tls
from broker.network.transports.memory_transport import memory_transport_pair
from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Disconnected, Transport
from broker.security.tls.listener_tls import ListenerTls
from tests.broker.security.tls.stores import authority_text, chain_text, key_text, leaf

pytestmark = pytest.mark.anyio


def listener_tls() -> ListenerTls:
    certificate = leaf()
    keys = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": key_text(certificate),
        "ssl.keystore.certificate.chain": chain_text(certificate),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": authority_text(),
        "ssl.client.auth": "required",
    }
    return ListenerTls(parse_config(keys), "SSL")


async def shake_hands(host: str) -> tuple[Transport, TlsTransport]:
    """Both ends of a connection to a node with that advertised host."""
    ours, theirs = memory_transport_pair()
    tls = listener_tls()
    server = TlsTransport(theirs, tls.context)

    async def connect(_host: str, _port: int) -> Transport:
        return ours

    async def serve() -> None:
        while server.peer_certificate is None:
            try:
                await server.wait_readable()
                server.receive_into(memoryview(bytearray(1)))
            except BlockingIOError:
                continue
            except Disconnected:
                return

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        client = await connect_with_tls(connect, tls)(host, 9093)
    return client, server


async def test_nodes_have_the_certificate_of_the_listener() -> None:
    """Both sides, so that a listener may require certificates."""
    client, server = await shake_hands("localhost")

    assert isinstance(client, TlsTransport)
    assert client.peer_certificate == server.peer_certificate is not None


async def test_a_node_with_another_host_is_refused() -> None:
    """The certificate must name the advertised host (ssl.endpoint.identification.algorithm)."""
    with pytest.raises(BaseExceptionGroup) as refused:
        await shake_hands("broker.invalid")

    assert refused.group_contains(Disconnected)
