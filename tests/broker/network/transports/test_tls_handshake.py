"""The handshake of TLS, and what makes it fail."""

from __future__ import annotations

import ssl

import pytest
import trio
import trio.testing

from broker.network.transports.transport import Disconnected, TlsFailed
from tests.broker.network.transports.tls_ends import NOTHING, Ends, failure_of, receive, send
from tests.tls import client_context, server_context

pytestmark = pytest.mark.anyio


async def test_a_client_certificate_is_available_after_the_handshake() -> None:
    """It is the certificate that the client's context has, as DER."""
    ends = Ends(server_context(ssl.CERT_REQUIRED), client_context("alice"))
    await ends.open()

    certificate = ends.server.peer_certificate

    assert certificate is not None
    assert b"alice" in certificate


async def test_a_missing_client_certificate_fails_the_handshake() -> None:
    """With TLS 1.3 the client receives the alert when it receives data."""
    ends = Ends(server_context(ssl.CERT_REQUIRED))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends.client.handshake)
        failure = await failure_of(ends.server)

    assert isinstance(failure, TlsFailed)
    assert "PEER_DID_NOT_RETURN_A_CERTIFICATE" in str(failure)
    with pytest.raises(TlsFailed, match="requires a certificate"):
        await receive(ends.client, 1)


async def test_a_client_that_refuses_the_certificate_fails_both_sides() -> None:
    """The client does not know the issuer, and sends an alert."""
    ends = Ends(client=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    failures = []

    async def fail() -> None:
        failures.append(await failure_of(ends.server))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail)
        with pytest.raises(TlsFailed, match="certificate is not valid"):
            await ends.client.handshake()

    assert "does not accept this side's certificate" in str(failures[0])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "HTTP request"),
        (b"\0\0\0\x16\0\x12\0\0\0\0\0\0\0\3abc\0\0\0\0\0", "does not use TLS"),
        (b"\0" * 200, "does not use TLS"),
    ],
)
async def test_bytes_that_are_not_tls_fail_the_handshake(data: bytes, reason: str) -> None:
    """The reason names what the client has sent."""
    ends = Ends()
    ends.below_client.send([data])

    failure = await failure_of(ends.server)

    assert isinstance(failure, TlsFailed)
    assert reason in str(failure)


async def test_a_disconnect_during_the_handshake_is_no_failure_of_tls() -> None:
    """A port scan is not logged."""
    ends = Ends()
    ends.below_client.send([b"\x16\x03\x01"])
    ends.below_client.close()

    failure = await failure_of(ends.server)

    assert not isinstance(failure, TlsFailed)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_full_socket_delays_the_handshake(version: ssl.TLSVersion) -> None:
    """The server's messages are sent in pieces, as the client receives them."""
    client = client_context("alice")
    client.minimum_version = client.maximum_version = version
    ends = Ends(server_context(ssl.CERT_REQUIRED), client, room=50)
    await ends.open()

    await send(ends.client, [b"request"])

    assert await receive(ends.server, 7) == b"request"


async def test_closing_ends_a_handshake() -> None:
    """The task that waits for the client's bytes is woken by an exception."""
    ends = Ends()
    async with trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(Disconnected):
                await ends.server.wait_readable()

        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        ends.server.close()


async def test_many_handshakes_delay_other_tasks_by_one_step_at_a_time() -> None:
    """Between two steps of handshakes, each other task that can run does."""
    count = 40
    connections = [Ends() for _ in range(count)]
    steps = 0

    async def advance(ends: Ends) -> None:
        nonlocal steps
        await ends.server.wait_readable()
        with pytest.raises(BlockingIOError):
            ends.server.receive_into(NOTHING)
        steps += 1

    async with trio.open_nursery() as nursery:
        for ends in connections:
            nursery.start_soon(ends.client.handshake)
        await trio.testing.wait_all_tasks_blocked()
        steps_between = []
        async with trio.open_nursery() as servers:
            for ends in connections:
                servers.start_soon(advance, ends)
            while steps < count:
                before = steps
                await trio.lowlevel.checkpoint()
                steps_between.append(steps - before)
        nursery.cancel_scope.cancel()

    assert max(steps_between) <= 2  # one before and one after the checkpoint
