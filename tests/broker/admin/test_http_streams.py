"""Responses of an HTTP connection that are sent in parts."""

from __future__ import annotations

from http import HTTPStatus

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.admin.http import (
    REQUEST_TIMEOUT_S,
    Handle,
    HttpConnection,
    HttpError,
    HttpRequest,
    HttpResponse,
    Send,
    Streamed,
)
from tests.broker.admin.test_http import GET, at_end, connected, receive

pytestmark = pytest.mark.anyio


def streaming(body: Streamed) -> Handle:
    """A handler that responds with *body*."""

    async def handle(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(HTTPStatus.OK, body)

    return handle


async def test_a_part_is_sent_when_it_is_made() -> None:
    """As chunks, after a head without a length; then the connection is closed."""
    proceed = trio.Event()

    async def write(send: Send) -> None:
        await send(b"one")
        await proceed.wait()
        await send(b"two")

    async with connected(streaming(Streamed(write, "text/plain"))) as client:
        await client.send_all(GET)
        head, _, first = bytes(await client.receive_some()).partition(b"\r\n\r\n")
        proceed.set()

        assert b"content-type: text/plain" in head.lower()
        assert b"transfer-encoding: chunked" in head.lower()
        assert first == b"3\r\none\r\n"
        assert await client.receive_some() == b"3\r\ntwo\r\n"
        assert await at_end(client)


async def test_a_stream_may_be_refused_before_its_first_part() -> None:
    """The response is that of the error."""

    async def write(_send: Send) -> None:
        raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "too many")

    async with connected(streaming(Streamed(write, "text/plain"))) as client:
        await client.send_all(GET)

        status, _, value = await receive(client)

        assert (status, value) == (503, {"error": "too many"})


async def test_a_disconnect_ends_a_stream() -> None:
    """The function that writes is cancelled while it waits."""
    ended = trio.Event()

    async def write(send: Send) -> None:
        try:
            await send(b"one")
            await trio.sleep_forever()
        finally:
            ended.set()

    async with connected(streaming(Streamed(write, "text/plain"))) as client:
        await client.send_all(GET)
        await client.receive_some()
        await client.aclose()

        await ended.wait()


class Stalled(trio.abc.Stream):
    """The server's stream of a client that sends a request and reads nothing."""

    def __init__(self) -> None:
        self._request = GET

    async def receive_some(self, _max_bytes: int | None = None) -> bytes:
        request, self._request = self._request, b""
        if not request:
            await trio.sleep_forever()
        return request

    async def send_all(self, _data: bytes | bytearray | memoryview) -> None:
        await trio.sleep_forever()

    async def wait_send_all_might_not_block(self) -> None:
        await trio.sleep_forever()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


async def test_a_client_that_does_not_read_is_disconnected() -> None:
    """After the timeout; until then the broker waits for it, so that its connection can be ended.

    No other part is made meanwhile.
    """
    sent = []

    async def write(send: Send) -> None:
        sent.append(1)
        await send(b"one")
        sent.append(2)

    connection = HttpConnection(Stalled(), streaming(Streamed(write, "text/plain")))
    async with trio.open_nursery() as nursery:
        began = trio.current_time()
        nursery.start_soon(connection.serve)
        await wait_all_tasks_blocked()
        assert connection.waits_since == began

    assert trio.current_time() - began == REQUEST_TIMEOUT_S
    assert sent == [1]
