"""An HTTP connection over memory streams, in virtual time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

import pytest
import trio
from trio.testing import (
    MemoryReceiveStream,
    MemorySendStream,
    lockstep_stream_pair,
    memory_stream_pair,
    wait_all_tasks_blocked,
)

from broker.admin.http import (
    BODY_MAX_BYTES,
    HEADERS_MAX_BYTES,
    REQUEST_TIMEOUT_S,
    Handle,
    HttpConnection,
    HttpError,
    HttpRequest,
    HttpResponse,
    raise_error,
)
from purgatories.on_error import OnError

pytestmark = pytest.mark.anyio

Client = trio.StapledStream[MemorySendStream, MemoryReceiveStream]
GET = b"GET /thing?a=1 HTTP/1.1\r\nHost: h\r\n\r\n"


async def echo(request: HttpRequest) -> HttpResponse:
    """Return the parts of the request, or refuse or fail as its target says."""
    if request.target.startswith("/broken"):
        raise ZeroDivisionError
    if request.target == "/refused":
        raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "not that", Allow="GET")
    value = [request.method, request.target, request.headers.get("host"), request.body.decode()]
    return HttpResponse(HTTPStatus.OK, value)


def ignore(_what: str, _error: Exception) -> None:
    """Ignore the exception."""


@asynccontextmanager
async def connected(
    handle: Handle = echo, on_error: OnError = raise_error
) -> AsyncIterator[Client]:
    """The client's end of a connection that is served."""
    client, server = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpConnection(server, handle, on_error).serve)
        yield client
        await client.aclose()


async def receive(client: Client) -> tuple[int, dict[str, str], object]:
    """Receive a response: status, headers in lower case, value."""
    data = bytearray()
    while b"\r\n\r\n" not in data:
        data += await client.receive_some()
    head, _, body = bytes(data).partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    while len(body) < int(headers["content-length"]):
        body += await client.receive_some()
    return int(status.split()[1]), headers, json.loads(body)


async def at_end(client: Client) -> bool:
    """Whether the server has closed the connection."""
    return await client.receive_some() == b""


async def test_a_response_is_json() -> None:
    """The handler gets method, target, headers and body."""
    async with connected() as client:
        await client.send_all(b"POST /x HTTP/1.1\r\nHost: H\r\nContent-Length: 2\r\n\r\nhi")
        status, headers, value = await receive(client)

    assert (status, value) == (200, ["POST", "/x", "H", "hi"])
    assert headers["content-type"] == "application/json"


async def test_other_tasks_run_while_a_large_response_is_encoded() -> None:
    """A response has no limit of size."""
    passes = 0

    async def run_in_each_pass() -> None:
        nonlocal passes
        while True:
            passes += 1
            await trio.lowlevel.checkpoint()

    async def large(_: HttpRequest) -> HttpResponse:
        nonlocal passes
        passes = 0
        return HttpResponse(HTTPStatus.OK, [list(range(100))] * 1000)

    async with connected(large) as client, trio.open_nursery() as nursery:
        nursery.start_soon(run_in_each_pass)
        await client.send_all(GET)
        _, headers, _ = await receive(client)
        nursery.cancel_scope.cancel()

    assert passes >= int(headers["content-length"]) / 50_000 > 5


async def test_a_connection_serves_several_requests() -> None:
    """Keep-alive is the default of HTTP/1.1; a refusal does not close the connection."""
    async with connected() as client:
        await client.send_all(GET)
        assert (await receive(client))[0] == 200
        await client.send_all(b"GET /refused HTTP/1.1\r\nHost: h\r\n\r\n")
        status, headers, value = await receive(client)
        assert (status, headers["allow"], value) == (405, "get", {"error": "not that"})
        await client.send_all(GET)
        assert (await receive(client))[0] == 200


@pytest.mark.parametrize("target", [b"/thing", b"/refused", b"/broken"])
async def test_the_response_to_a_head_request_has_no_body(target: bytes) -> None:
    """Its headers are those of a GET, and the connection remains open."""
    async with connected(on_error=ignore) as client:
        await client.send_all(b"HEAD " + target + b" HTTP/1.1\r\nHost: h\r\n\r\n" + GET)
        data = bytearray()
        while data.count(b"\r\n\r\n") < 2 or b"/thing?a=1" not in data:
            data += await client.receive_some()
        head, _, rest = bytes(data).partition(b"\r\n\r\n")
        assert b"content-length: " in head.lower()
        assert rest.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    "request_line",
    [b"HEAD /", b"CONNECT h:80", b"OPTIONS *", b"TRACE /", b"\xf0BREW /pot", b"GET " + b"/" * 9000],
)
@pytest.mark.parametrize(
    "header",
    [
        b"Upgrade: websocket\r\nConnection: upgrade",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: gzip",
        b"Content-Length: 7, 7",
        b"Content-Length: -1",
        b"Expect: 100-continue",
        b"Connection: close, keep-alive",
        b"X: \xff\x80",
    ],
)
async def test_a_request_affects_its_connection_only(request_line: bytes, header: bytes) -> None:
    """It gets a response with any method and headers."""
    async with connected() as client:
        request = request_line + b" HTTP/1.1\r\nHost: h\r\n" + header + b"\r\n\r\n0\r\n\r\n"
        await client.send_all(request)
        assert (await client.receive_some()).startswith(b"HTTP/1.1 ")


async def test_an_exception_in_a_handler_is_a_response_with_status_500() -> None:
    """It is reported with its request, and the connection remains open."""
    errors: list[tuple[str, Exception]] = []
    async with connected(on_error=lambda what, error: errors.append((what, error))) as client:
        await client.send_all(GET.replace(b"thing", b"broken"))
        status, _, value = await receive(client)
        await client.send_all(GET)
        assert (await receive(client))[0] == 200

    assert status == HTTPStatus.INTERNAL_SERVER_ERROR
    assert value == {"error": "unexpected error; the broker's log has its traceback"}
    assert [what for what, _ in errors] == ["the admin request GET /broken?a=1"]
    assert isinstance(errors[0][1], ZeroDivisionError)


async def test_an_exception_in_a_connection_is_reported() -> None:
    """Here it is raised after the last response."""

    def break_down() -> None:
        raise ZeroDivisionError

    errors: list[str] = []
    client, server = memory_stream_pair()
    server.send_stream.close_hook = server.receive_stream.close_hook = break_down
    await client.aclose()
    await HttpConnection(server, echo, lambda what, _: errors.append(what)).serve()

    assert errors == ["a connection of the admin interface"]


async def test_an_exception_in_a_handler_is_raised_by_default() -> None:
    """So a test fails with it."""
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        async with connected() as client:
            await client.send_all(GET.replace(b"thing", b"broken"))
            await at_end(client)


async def test_a_connection_can_be_closed_while_it_waits() -> None:
    """It has the time since which it waits for a request."""
    client, server = memory_stream_pair()
    connection = HttpConnection(server, echo)
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.serve)
        await wait_all_tasks_blocked()
        assert connection.waits_since == begun
        connection.close()
        assert await at_end(client)


async def test_connection_close_is_honoured() -> None:
    """The server closes after the response."""
    async with connected() as client:
        await client.send_all(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        await receive(client)
        assert await at_end(client)


async def test_the_server_sends_100_continue_on_request() -> None:
    """curl sends Expect: 100-continue with larger bodies."""
    async with connected() as client:
        await client.send_all(
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        )
        assert (await client.receive_some()).startswith(b"HTTP/1.1 100 ")
        await client.send_all(b"hi")
        assert (await receive(client))[2] == ["POST", "/", "h", "hi"]


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"invalid\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # without Host
        (b"\x00\x00\x00\x10\x00\x12\x00\x04\x00\x00\x00\x01\x00\x00\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"x" * 20_000, 431),
    ],
)
async def test_invalid_http_gets_one_response(request_bytes: bytes, status: int) -> None:
    """Random bytes, a Kafka request and endless headers; then the connection is closed."""
    async with connected() as client:
        await client.send_all(request_bytes)
        got, _, value = await receive(client)
        assert (got, list(value)) == (status, ["error"])  # type: ignore[call-overload]  # a dict
        assert await at_end(client)


async def test_a_body_beyond_the_limit_is_refused() -> None:
    """The status is 413, and the rest of the body is not read."""
    async with connected() as client:
        length = BODY_MAX_BYTES + 1
        await client.send_all(
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % length + b"x" * length
        )
        assert (await receive(client))[0] == 413
        assert await at_end(client)


async def test_an_incomplete_request_times_out() -> None:
    """A client that stops within its headers gets 408."""
    async with connected() as client:
        started = trio.current_time()
        await client.send_all(b"GET / HTTP/1.1\r\nHo")
        assert (await receive(client))[0] == 408
        assert await at_end(client)
        assert trio.current_time() - started == pytest.approx(REQUEST_TIMEOUT_S)


async def test_an_idle_connection_is_closed_without_a_response() -> None:
    """There is no request to respond to."""
    async with connected() as client:
        assert await at_end(client)


async def test_a_disconnect_within_a_request_raises_nothing() -> None:
    """The task of the connection ends."""
    async with connected() as client:
        await client.send_all(b"GET / HTTP/1.1\r\n")
        await client.aclose()


async def test_a_disconnect_cancels_the_work_on_a_response() -> None:
    """The client disconnects before the response."""
    cancelled = trio.Event()

    async def never(_request: HttpRequest) -> HttpResponse:
        try:
            await trio.sleep_forever()
        finally:
            cancelled.set()
        raise AssertionError("unreachable")

    client, server = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpConnection(server, never).serve)
        await client.send_all(GET)
        await wait_all_tasks_blocked()
        await client.aclose()
        await cancelled.wait()


async def test_pipelined_requests_get_responses_in_order() -> None:
    """Also if the first one takes longer than the second one."""
    proceed = trio.Event()

    async def slow(request: HttpRequest) -> HttpResponse:
        await proceed.wait()
        return HttpResponse(HTTPStatus.OK, request.target)

    async with connected(slow) as client:
        await client.send_all(GET)
        await wait_all_tasks_blocked()
        await client.send_all(GET.replace(b"thing", b"other"))
        await wait_all_tasks_blocked()
        proceed.set()
        assert (await receive(client))[2] == "/thing?a=1"
        assert (await receive(client))[2] == "/other?a=1"


async def test_the_bytes_read_ahead_are_limited() -> None:
    """A client may send requests without end during the work on a response."""
    proceed = trio.Event()

    async def slow(request: HttpRequest) -> HttpResponse:
        await proceed.wait()
        return HttpResponse(HTTPStatus.OK, request.target)

    client, server = lockstep_stream_pair()
    sent = 0

    async def send() -> None:
        nonlocal sent
        while True:
            await client.send_all(GET)
            sent += len(GET)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpConnection(server, slow).serve)
        nursery.start_soon(send)
        await wait_all_tasks_blocked()
        assert HEADERS_MAX_BYTES <= sent < 3 * HEADERS_MAX_BYTES
        nursery.cancel_scope.cancel()
