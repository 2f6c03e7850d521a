"""The admin interface over TLS in memory, with clients that do not behave; in virtual time."""

from __future__ import annotations

import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.admin.http import REQUEST_TIMEOUT_S, HttpConnection, HttpRequest, HttpResponse
from broker.admin.tls import TlsStream, admin_context
from broker.common.errors import StartupError
from broker.config import parse_config
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Disconnected
from tests.broker.network.transports.tls_ends import receive, send
from tests.tls import authority, client_context, server_context

pytestmark = pytest.mark.anyio

GET = b"GET /thing HTTP/1.1\r\nHost: h\r\n\r\n"
LONG = "x" * 300_000


async def echo(request: HttpRequest) -> HttpResponse:
    """Return the target, or a long value."""
    return HttpResponse(HTTPStatus.OK, LONG if request.target == "/long" else request.target)


@asynccontextmanager
async def connected(room: int = 1 << 20) -> AsyncIterator[MemoryTransport]:
    """The client's end of a connection without TLS; its server must end in the end."""
    client, server = memory_transport_pair(room)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpConnection(TlsStream(server, server_context()), echo).serve)
        yield client
        client.close()
    assert server.closed


async def encrypted(below: MemoryTransport) -> TlsTransport:
    """A client with a completed handshake."""
    client = TlsTransport(below, client_context(), server_side=False, server_hostname="localhost")
    await client.handshake()
    return client


async def response(client: TlsTransport) -> bytes:
    """The head and the body of a response."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += await receive(client, 1)
    head, _, _ = data.lower().partition(b"\r\n\r\n")
    length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
    return data + await receive(client, length)


async def ending(below: MemoryTransport) -> bytes:
    """What the server sends until it closes the connection."""
    received, buffer = bytearray(), bytearray(1 << 16)
    while True:
        await below.wait_readable()
        try:
            count = below.receive_into(memoryview(buffer))
        except BlockingIOError:
            continue
        if not count:
            return bytes(received)
        received += buffer[:count]


async def test_requests_are_served_over_tls() -> None:
    """Several in one connection, as without TLS."""
    async with connected() as below:
        client = await encrypted(below)
        for _ in range(2):
            await send(client, [GET])
            assert (await response(client)).endswith(b'"/thing"\n')


async def test_a_long_response_is_sent_while_the_client_receives_it() -> None:
    """The socket takes a part of it at a time."""
    async with connected(room=5_000) as below:
        client = await encrypted(below)
        await send(client, [GET.replace(b"thing", b"long")])

        assert LONG.encode() in await response(client)


@pytest.mark.parametrize(
    "data",
    [GET, b"\0\0\0\x10\0\x12\0\4" + bytes(12), b"\x16\x03\x01\x00\x05hello", b"\xff" * 40_000],
)
async def test_bytes_that_are_not_tls_close_the_connection(
    data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """HTTP, Kafka, a damaged handshake and noise; the log has one line for each."""
    async with connected() as below:
        below.send([data])
        await ending(below)

    [record] = caplog.records
    words = "closing connection from memory on the admin interface: TLS failed: "
    assert record.getMessage().startswith(words)
    assert record.levelno == logging.WARNING  # as on the listeners


async def test_a_client_that_does_not_trust_the_certificate_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It sends an alert."""
    async with connected() as below:
        stranger = TlsTransport(
            below,
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            server_side=False,
            server_hostname="localhost",
        )
        with pytest.raises(Disconnected):
            await stranger.handshake()
        await wait_all_tasks_blocked()

    assert "does not accept this side's certificate" in caplog.records[0].getMessage()


@pytest.mark.parametrize("part", [b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"])
async def test_a_handshake_without_end_is_closed_after_the_time_of_a_request(part: bytes) -> None:
    """The client sends nothing, or a part of its first message."""
    async with connected() as below:
        started = trio.current_time()
        below.send([part])

        assert await ending(below) == b""
        assert trio.current_time() - started == pytest.approx(REQUEST_TIMEOUT_S)


async def test_a_slow_request_over_tls_gets_a_response() -> None:
    """It has the status 408, as without TLS."""
    async with connected() as below:
        client = await encrypted(below)
        await send(client, [GET[:10]])
        started = trio.current_time()

        assert (await response(client)).startswith(b"HTTP/1.1 408 ")
        assert trio.current_time() - started == pytest.approx(REQUEST_TIMEOUT_S)


async def test_a_client_that_does_not_read_is_closed_after_the_time_of_a_response() -> None:
    """Nothing of the response remains in memory."""
    async with connected(room=5_000) as below:
        client = await encrypted(below)
        started = trio.current_time()
        await send(client, [GET.replace(b"thing", b"long")])
        await trio.sleep(REQUEST_TIMEOUT_S + 1)

        assert below.other.closed
        assert trio.current_time() - started == pytest.approx(REQUEST_TIMEOUT_S + 1)


@pytest.mark.parametrize("bytes_sent", [0, 1, 100])
async def test_a_disconnect_during_the_handshake_ends_the_connection(
    bytes_sent: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A port scan is not logged."""
    async with connected() as below:
        below.send([b"\x16\x03\x01\x02\x00".ljust(bytes_sent, b"\1")[:bytes_sent]])
        below.close()

    assert caplog.records == []


async def test_half_open_handshakes_do_not_delay_other_clients() -> None:
    """A thousand of them; their connections end after the time of a request."""
    async with trio.open_nursery() as nursery:
        servers = []
        for _ in range(1_000):
            client, server = memory_transport_pair()
            connection = HttpConnection(TlsStream(server, server_context()), echo)
            nursery.start_soon(connection.serve)
            client.send([b"\x16\x03\x01\x02\x00\x01"])
            servers.append(server)
        started = trio.current_time()
        async with connected() as below:
            served = await encrypted(below)
            await send(served, [GET])
            assert (await response(served)).endswith(b'"/thing"\n')
            assert trio.current_time() == started

    assert all(server.closed for server in servers)


def test_the_certificate_is_that_of_the_interface_or_of_all_listeners(tmp_path: Path) -> None:
    """Clients need no certificate, unless the key of the interface requires one."""
    file = tmp_path / "broker.pem"
    leaf = authority().issue_cert("localhost")
    file.write_bytes(leaf.private_key_and_cert_chain_pem.bytes())
    key_store = {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(file)}
    own = {f"listener.name.admin-http.{key}": value for key, value in key_store.items()}
    required = {"ssl.client.auth": "required"}
    own_required = {"listener.name.admin-http.ssl.client.auth": "required"}

    for given in (key_store, own):
        context = admin_context(parse_config(given | required))
        assert context.verify_mode is ssl.CERT_NONE
    context = admin_context(parse_config(key_store | own_required))
    assert context.verify_mode is ssl.CERT_REQUIRED


def test_https_without_a_certificate_is_refused() -> None:
    """The message has the ways to give one, and the way to do without."""
    with pytest.raises(StartupError) as refused:
        admin_context(parse_config({}))

    assert str(refused.value) == (
        "--admin-protocol: https needs a certificate; set ssl.keystore.location, give --tls, "
        "or --admin-protocol http"
    )


def test_a_key_store_that_cannot_be_read_is_refused() -> None:
    """The message names the interface, the key and the file."""
    given = {"ssl.keystore.type": "PEM", "ssl.keystore.location": "/no/such/file"}
    with pytest.raises(StartupError) as refused:
        admin_context(parse_config(given))

    assert str(refused.value) == (
        "listener ADMIN-HTTP: ssl.keystore.location=/no/such/file: No such file or directory"
    )
