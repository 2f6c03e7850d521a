"""Both sides of a TLS connection in memory."""

from __future__ import annotations

import ssl
from collections.abc import Sequence

import pytest
import trio
import trio.testing

from broker.network.transports.memory_transport import memory_transport_pair
from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Disconnected
from tests.tls import client_context, server_context

NOTHING = memoryview(bytearray(0))


class Ends:
    """Both sides of a connection, and the transports below them."""

    def __init__(
        self,
        server: ssl.SSLContext | None = None,
        client: ssl.SSLContext | None = None,
        room: int = 1 << 20,
    ) -> None:
        self.below_client, self.below_server = memory_transport_pair(room)
        self.server = TlsTransport(self.below_server, server or server_context())
        self.client = TlsTransport(
            self.below_client,
            client or client_context(),
            server_side=False,
            server_hostname="localhost",
        )

    async def open(self) -> None:
        """Complete the handshake of both sides."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, self.server)
            await self.client.handshake()
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()


async def serve(server: TlsTransport) -> None:
    """Wait and receive as a connection does, until the connection fails."""
    while True:
        await server.wait_readable()
        try:
            server.receive_into(NOTHING)
        except BlockingIOError:
            continue


async def failure_of(server: TlsTransport) -> Disconnected:
    """What the server raises when it receives."""
    with pytest.raises(Disconnected) as raised:
        await serve(server)
    return raised.value


async def receive(transport: TlsTransport, size: int) -> bytes:
    """The next *size* bytes, or less at the end."""
    received = bytearray()
    while len(received) < size:
        await transport.wait_readable()
        buffer = bytearray(size - len(received))
        try:
            count = transport.receive_into(memoryview(buffer))
        except BlockingIOError:
            continue
        if not count:
            break
        received += buffer[:count]
    return bytes(received)


async def send(transport: TlsTransport, parts: Sequence[bytes]) -> None:
    """Send all parts."""
    rest = list(parts)
    while rest:
        sent = transport.send(rest)
        if not sent:
            await transport.wait_writable()
        while rest and sent >= len(rest[0]):
            sent -= len(rest.pop(0))
        if rest:
            rest[0] = rest[0][sent:]


async def failure_of_receive(transport: TlsTransport) -> Disconnected:
    """What the transport raises when it receives bytes."""
    with pytest.raises(Disconnected) as raised:
        await receive(transport, 1)
    return raised.value
