"""Requests in asyncio and trio, and the failures of a connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from antechamber.admin_errors import AdminError, NoBroker
from antechamber.asynchronous.admin_client import AsyncAdminClient
from broker.security.admin_tokens import AdminTokens
from tests.admin_server import serving
from tests.facts import FakeFacts, parked_produce
from tests.tls import authority, server_context

pytestmark = pytest.mark.anyio


@contextmanager
def other_server(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """The URL of a server that has *serve* for its one connection."""
    with socket.create_server(("127.0.0.1", 0)) as other:

        def accept() -> None:
            connected, _ = other.accept()
            with connected:
                serve(connected)

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{other.getsockname()[1]}"
        thread.join()


async def test_facts_are_requested() -> None:
    """A refusal has the broker's message."""
    facts = FakeFacts()
    with serving(facts) as url:
        client = AsyncAdminClient(url)
        assert await client.cluster() == facts.state()
        assert (await client.order(3, "pause"))["state"] == "paused"
        with pytest.raises(AdminError, match="node 3 is paused, not running") as refused:
            await client.order(3, "pause")
        assert refused.value.status == 409


async def test_a_wait_has_the_brokers_message() -> None:
    """A timeout is that of the broker."""
    facts = FakeFacts()
    facts.parked = [parked_produce()]
    with serving(facts) as url:
        client = AsyncAdminClient(url)
        assert await client.wait("parked", 60, api="Produce") == {"requests": facts.parked}
        with pytest.raises(TimeoutError, match="not within 10 ms: there is no topic audit"):
            await client.wait("hw", 0.01, topic="audit")


async def test_a_request_over_tls_has_the_token(tmp_path: Path) -> None:
    """The certificate must be of a trusted authority."""
    ca = tmp_path / "ca.pem"
    authority().cert_pem.write_to_path(str(ca))
    with serving(FakeFacts(), AdminTokens("all", None), server_context()) as served:
        url = served.replace("127.0.0.1", "localhost")
        client = AsyncAdminClient(url, token="all", ca=ca)
        assert (await client.cluster())["cluster_id"] == "fake"
        with pytest.raises(AdminError, match="token is missing"):
            await AsyncAdminClient(url, ca=ca).cluster()
        with pytest.raises(NoBroker, match="no valid certificate"):
            await AsyncAdminClient(url).cluster()


async def test_a_refused_connection() -> None:
    """The message names the address and the error of the operating system."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(NoBroker, match=f"^no broker at http://127.0.0.1:{port}: .*refused"):
        await AsyncAdminClient(f"http://127.0.0.1:{port}").cluster()


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (b"\x00\x00\x00\x01?", "is not the admin interface of a broker"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<htm>",
            "is not the admin interface of a broker",
        ),
        (b"", "closed the connection; is it the admin interface of a broker?"),
    ],
)
async def test_another_server_at_the_address(response: bytes, words: str) -> None:
    """Servers that do not speak HTTP, that send no JSON, or that close the connection."""

    def respond(connected: socket.socket) -> None:
        connected.recv(1 << 16)
        connected.sendall(response)

    with other_server(respond) as url:
        with pytest.raises(NoBroker) as caught:
            await AsyncAdminClient(url).cluster()
        assert str(caught.value) == f"{url} {words}"


async def test_a_cancelled_request_closes_its_connection() -> None:
    """At once, although the broker may wait for an hour."""
    requested, rest = threading.Event(), []

    def never_respond(connected: socket.socket) -> None:
        connected.recv(1 << 16)
        requested.set()
        rest.append(connected.recv(1 << 16))  # ends when the client closes

    with other_server(never_respond) as url:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(AsyncAdminClient(url).wait, "hw", 3600.0)
            await anyio.to_thread.run_sync(requested.wait)
            tasks.cancel_scope.cancel()

    assert rest == [b""]


async def test_a_body_is_sent_as_json() -> None:
    """With its length and content type."""
    received = []

    def respond(connected: socket.socket) -> None:
        received.append(connected.recv(1 << 16))
        connected.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with other_server(respond) as url:
        assert await AsyncAdminClient(url).call("POST", "/v1/x", body={"nth": 3}) == {}

    head, _, body = received[0].partition(b"\r\n\r\n")
    assert body == b'{"nth": 3}'
    assert b"content-length: 10" in head.lower()
    assert b"content-type: application/json" in head.lower()
