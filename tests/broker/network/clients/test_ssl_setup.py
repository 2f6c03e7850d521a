"""Connections of an SSL listener, with clients in memory."""

from __future__ import annotations

import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from broker.config.broker_config import parse_config
from broker.network.clients.connection import Connection
from broker.network.clients.ssl_setup import SslSetup
from broker.network.serving.driver import Driver
from broker.network.serving.node_channels import NodeChannels
from broker.network.serving.serving_task import ServingTask
from broker.network.transports.memory_transport import memory_transport_pair
from broker.network.transports.tls_transport import TlsTransport
from broker.security.principal import ANONYMOUS, user
from broker.security.session import SecurityProtocol, Session
from broker.security.tls.listener_tls import ListenerTls
from protocol.framing import Scratch
from purgatories.timer.system_timer import SystemTimer
from tests.broker.security.tls.stores import authority_text, chain_text, key_text, leaf
from tests.tls import client_context

pytestmark = pytest.mark.anyio

FRAME = struct.pack(">ih", 2, 0)


class Serving:
    """A client and its connection; ``sessions`` has the session of each request."""

    def __init__(self, nursery: trio.Nursery, client: ssl.SSLContext) -> None:
        certificate = leaf()
        config = parse_config(
            {
                "ssl.keystore.type": "PEM",
                "ssl.keystore.key": key_text(certificate),
                "ssl.keystore.certificate.chain": chain_text(certificate),
                "ssl.truststore.type": "PEM",
                "ssl.truststore.certificates": authority_text(),
                "ssl.client.auth": "requested",
                "ssl.principal.mapping.rules": "RULE:^CN=(a.*?),.*$/$1/",
            }
        )
        self.sessions: list[Session] = []
        below_client, below_server = memory_transport_pair()
        below_server.peer = "::1"
        opening = SslSetup("SECURE", config, ListenerTls(config, "SECURE"), self._serve).open(
            below_server
        )
        self.client = TlsTransport(
            below_client, client, server_side=False, server_hostname="localhost"
        )

        def connect(driver: Driver) -> Connection:
            return Connection(
                opening.transport,
                driver,
                opening.dispatch,
                request_bytes_max=opening.request_bytes_max,
                scratch=Scratch(),
                timer=SystemTimer("test", now_ms=lambda: 0.0),
                idle_ms=-1,
                memory=None,
                on_bug=lambda _peer, bug: pytest.fail(repr(bug)),
                session=opening.session,
            )

        task = ServingTask(lambda: 0.0)
        self.connection = NodeChannels(task).open(opening.transport, connect, lambda _: None)
        nursery.start_soon(task.run)

    def _serve(self, connection: Connection, frame: memoryview, arrived_ms: float) -> None:
        self.sessions.append(connection.session)

    async def send(self, count: int) -> None:
        """Complete the handshake and send that many requests."""
        await self.client.handshake()
        self.client.send([FRAME] * count)
        await trio.testing.wait_all_tasks_blocked()


@asynccontextmanager
async def serving(client: ssl.SSLContext) -> AsyncIterator[Serving]:
    """A connection that is served, and closed in the end."""
    async with trio.open_nursery() as nursery:
        yield Serving(nursery, client)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("name", "principal"), [("alice", user("alice")), (None, ANONYMOUS)])
async def test_the_certificate_of_a_client_determines_its_principal(
    name: str | None, principal: object
) -> None:
    """A client without a certificate is anonymous."""
    async with serving(client_context(name)) as parts:
        await parts.send(2)

        assert parts.sessions == 2 * [
            Session(
                principal=principal,  # type: ignore[arg-type]  # of a parameter
                host="0:0:0:0:0:0:0:1",
                listener="SECURE",
                protocol=SecurityProtocol.SSL,
            )
        ]


async def test_a_client_without_a_name_is_disconnected_at_its_first_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """No mapping rule applies to its certificate."""
    async with serving(client_context("bob")) as parts:
        await parts.client.handshake()
        await trio.testing.wait_all_tasks_blocked()
        assert not parts.connection.is_closed

        await parts.send(1)

        assert parts.connection.is_closed
        assert parts.sessions == []
        assert "no rule of ssl.principal.mapping.rules applies" in caplog.text


async def test_a_request_before_a_damaged_record_is_served() -> None:
    """They arrive together: the certificate of the client is known, though TLS has failed."""
    async with serving(client_context("alice")) as parts:
        await parts.client.handshake()
        below = parts.client._transport  # noqa: SLF001 - it sends a damaged record
        parts.client.send([FRAME])
        below.send([b"\x17\x03\x03\x00\x20" + bytes(32)])
        await trio.testing.wait_all_tasks_blocked()

        assert [each.principal for each in parts.sessions] == [user("alice")]
        assert parts.connection.is_closed


async def test_a_client_without_tls_is_disconnected(caplog: pytest.LogCaptureFixture) -> None:
    """The line in the log names the client, the listener and the reason."""
    async with serving(client_context()) as parts:
        below = parts.client._transport  # noqa: SLF001 - it sends without TLS
        below.send([FRAME])
        await trio.testing.wait_all_tasks_blocked()

        assert parts.connection.is_closed
        assert "closing connection from ::1 on listener SECURE: TLS failed: the peer does" in (
            caplog.text
        )
