"""Connections of this node to other nodes over TLS."""

from __future__ import annotations

from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Connect, Transport
from broker.security.tls.listener_tls import ListenerTls


def connect_with_tls(connect: Connect, tls: ListenerTls) -> Connect:
    """Opens connections to a listener with TLS of other nodes, and completes their handshakes.

    They raise OSError, and `Disconnected` if the handshake fails.
    """

    async def connect_and_shake_hands(host: str, port: int) -> Transport:
        transport = await connect(host, port)
        encrypted = TlsTransport(
            transport, tls.client_context, server_side=False, server_hostname=host
        )
        try:
            await encrypted.handshake()
        except BaseException:
            encrypted.close()
            raise
        return encrypted

    return connect_and_shake_hands
