"""One HTTP connection, over memory streams and in virtual time."""

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
    memory_stream_pair,
    wait_all_tasks_blocked,
)

from broker.admin.http import (
    BODY_MAX_BYTES,
    HEADERS_MAX_BYTES,
    REQUEST_TIMEOUT_S,
    Answer,
    HttpConnection,
    HttpError,
    HttpRequest,
    HttpResponse,
    OnError,
    raise_error,
)

pytestmark = pytest.mark.anyio

Client = trio.StapledStream[MemorySendStream, MemoryReceiveStream]
GET = b"GET /thing?a=1 HTTP/1.1\r\nHost: h\r\n\r\n"


async def echo(request: HttpRequest) -> HttpResponse:
    if request.target.startswith("/broken"):
        raise ZeroDivisionError
    if request.target == "/refused":
        raise HttpError(HTTPStatus.METHOD_NOT_ALLOWED, "not that", Allow="GET")
    value = [request.method, request.target, request.headers.get("host"), request.body.decode()]
    return HttpResponse(HTTPStatus.OK, value)


def ignore(_what: str, _error: Exception) -> None:
    """Confine every exception."""


@asynccontextmanager
async def connected(
    answerer: Answer = echo, on_error: OnError = raise_error
) -> AsyncIterator[Client]:
    client, server = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpConnection(server, answerer, on_error).serve)
        yield client
        await client.aclose()


async def answer(client: Client) -> tuple[int, dict[str, str], object]:
    """Read one whole answer: status, headers in lower case, value."""
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
    return await client.receive_some() == b""


async def test_a_request_is_answered_with_json() -> None:
    """Method, target, headers and body reach the answerer."""
    async with connected() as client:
        await client.send_all(b"POST /x HTTP/1.1\r\nHost: H\r\nContent-Length: 2\r\n\r\nhi")
        status, headers, value = await answer(client)

    assert (status, value) == (200, ["POST", "/x", "H", "hi"])
    assert headers["content-type"] == "application/json"


async def test_a_connection_serves_several_requests() -> None:
    """Keep-alive is HTTP/1.1's default, and refusals do not end it."""
    async with connected() as client:
        await client.send_all(GET)
        assert (await answer(client))[0] == 200
        await client.send_all(b"GET /refused HTTP/1.1\r\nHost: h\r\n\r\n")
        status, headers, value = await answer(client)
        assert (status, headers["allow"], value) == (405, "get", {"error": "not that"})
        await client.send_all(GET)
        assert (await answer(client))[0] == 200


@pytest.mark.parametrize("target", [b"/thing", b"/refused", b"/broken"])
async def test_the_response_to_a_head_request_has_no_body(target: bytes) -> None:
    """Its headers are those of a GET, and the connection goes on."""
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
async def test_no_request_ends_more_than_its_connection(request_line: bytes, header: bytes) -> None:
    """Whatever its method and headers are, it gets a response or the end."""
    async with connected() as client:
        request = request_line + b" HTTP/1.1\r\nHost: h\r\n" + header + b"\r\n\r\n0\r\n\r\n"
        await client.send_all(request)
        assert (await client.receive_some()).startswith(b"HTTP/1.1 ")


async def test_an_exception_in_a_handler_is_a_response_with_status_500() -> None:
    """It is reported with the request that met it, and the connection goes on."""
    errors: list[tuple[str, Exception]] = []
    async with connected(on_error=lambda what, error: errors.append((what, error))) as client:
        await client.send_all(GET.replace(b"thing", b"broken"))
        status, _, value = await answer(client)
        await client.send_all(GET)
        assert (await answer(client))[0] == 200

    assert status == HTTPStatus.INTERNAL_SERVER_ERROR
    assert value == {"error": "unexpected error; the broker's log has its traceback"}
    assert [what for what, _ in errors] == ["the admin request GET /broken?a=1"]
    assert isinstance(errors[0][1], ZeroDivisionError)


async def test_an_exception_in_a_connection_is_reported() -> None:
    """One that no response can tell of."""

    def break_down() -> None:
        raise ZeroDivisionError

    errors: list[str] = []
    client, server = memory_stream_pair()
    server.send_stream.close_hook = server.receive_stream.close_hook = break_down
    await client.aclose()
    await HttpConnection(server, echo, lambda what, _: errors.append(what)).serve()

    assert errors == ["a connection of the admin interface"]


async def test_an_exception_in_a_handler_is_raised_if_nobody_confines_it() -> None:
    """Tests do not overlook it."""
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        async with connected() as client:
            await client.send_all(GET.replace(b"thing", b"broken"))
            await at_end(client)


async def test_a_connection_can_be_closed_whatever_it_does() -> None:
    """Its client reads the end, and it is known how long the broker has waited for a request."""
    client, server = memory_stream_pair()
    connection = HttpConnection(server, echo)
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.serve)
        await wait_all_tasks_blocked()
        assert connection.waits_since == begun
        connection.close()
        assert await at_end(client)


async def test_a_client_that_wants_to_close_is_closed() -> None:
    """Connection: close is honoured."""
    async with connected() as client:
        await client.send_all(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        await answer(client)
        assert await at_end(client)


async def test_a_body_is_asked_for_when_the_client_waits() -> None:
    """Expect: 100-continue, as curl sends with larger bodies."""
    async with connected() as client:
        await client.send_all(
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        )
        assert (await client.receive_some()).startswith(b"HTTP/1.1 100 ")
        await client.send_all(b"hi")
        assert (await answer(client))[2] == ["POST", "/", "h", "hi"]


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"garbage\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # without Host
        (b"\x00\x00\x00\x10\x00\x12\x00\x04\x00\x00\x00\x01\x00\x00\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"x" * 20_000, 431),
    ],
)
async def test_what_is_not_http_is_answered_once_and_closed(
    request_bytes: bytes, status: int
) -> None:
    """Garbage, a Kafka request, headers without end: a status and a reason."""
    async with connected() as client:
        await client.send_all(request_bytes)
        got, _, value = await answer(client)
        assert (got, list(value)) == (status, ["error"])  # type: ignore[call-overload]  # a dict
        assert await at_end(client)


async def test_a_body_beyond_the_limit_is_refused() -> None:
    """413, and the rest of the body is not read."""
    async with connected() as client:
        length = BODY_MAX_BYTES + 1
        await client.send_all(
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % length + b"x" * length
        )
        assert (await answer(client))[0] == 413
        assert await at_end(client)


async def test_half_a_request_is_given_up_on() -> None:
    """A client that stops in its headers gets 408 in the end."""
    async with connected() as client:
        started = trio.current_time()
        await client.send_all(b"GET / HTTP/1.1\r\nHo")
        assert (await answer(client))[0] == 408
        assert await at_end(client)
        assert trio.current_time() - started == pytest.approx(REQUEST_TIMEOUT_S)


async def test_an_idle_connection_is_closed_without_a_word() -> None:
    """Nobody asked anything, so nothing is answered."""
    async with connected() as client:
        assert await at_end(client)


async def test_a_client_that_goes_away_in_between_is_forgotten() -> None:
    """The serving task ends; nothing is raised."""
    async with connected() as client:
        await client.send_all(b"GET / HTTP/1.1\r\n")
        await client.aclose()


async def test_an_answer_that_takes_long_ends_with_its_client() -> None:
    """Who waits and hangs up does not keep a place."""
    given_up = trio.Event()

    async def never(_request: HttpRequest) -> HttpResponse:
        try:
            await trio.sleep_forever()
        finally:
            given_up.set()
        raise AssertionError("unreachable")

    client, server = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpConnection(server, never).serve)
        await client.send_all(GET)
        await wait_all_tasks_blocked()
        await client.aclose()
        await given_up.wait()


async def test_a_request_that_comes_while_another_is_answered_waits() -> None:
    """Pipelined requests are answered in order, also when the first one takes its time."""
    go_on = trio.Event()

    async def slow(request: HttpRequest) -> HttpResponse:
        await go_on.wait()
        return HttpResponse(HTTPStatus.OK, request.target)

    async with connected(slow) as client:
        await client.send_all(GET)
        await wait_all_tasks_blocked()
        await client.send_all(GET.replace(b"thing", b"other"))
        await wait_all_tasks_blocked()
        go_on.set()
        assert (await answer(client))[2] == "/thing?a=1"
        assert (await answer(client))[2] == "/other?a=1"


async def test_requests_without_end_are_not_hoarded() -> None:
    """While an answer is awaited, only so many bytes are read ahead."""
    go_on = trio.Event()

    async def slow(request: HttpRequest) -> HttpResponse:
        await go_on.wait()
        return HttpResponse(HTTPStatus.OK, request.target)

    client, server = memory_stream_pair()
    connection = HttpConnection(server, slow)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.serve)
        await client.send_all(GET * 10_000)
        await wait_all_tasks_blocked()
        assert len(connection._http.trailing_data[0]) < 3 * HEADERS_MAX_BYTES
        nursery.cancel_scope.cancel()
