"""An HTTP/1.1 connection with responses in JSON, or in parts that are sent as they are made.

h11 implements the protocol; this module transfers its bytes. Headers, bodies and the time of a
client are limited, because the interface shares its process with the broker. Invalid input gets one
response, and the connection is closed. A disconnect cancels the work on a response. An exception in
that work becomes a response with status 500 and has no other effect.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from http import HTTPStatus

import h11
import trio

from broker.admin.json_pieces import json_pieces
from protocol.lazy_dataclass import dataclass
from protocol.printable import printable_json
from purgatories.on_error import OnError

HEADERS_MAX_BYTES = 16_384
BODY_MAX_BYTES = 65_536
# The limit for receiving one request and for sending one response, and of an idle connection.
REQUEST_TIMEOUT_S = 30
_RECEIVE_BYTES = 16_384
# Other tasks run after so much of a body; it takes about 1 ms.
_ENCODED_AT_ONCE_CHARS = 32_768


class HttpError(Exception):
    """A request that is refused with a status, and a message as JSON."""

    def __init__(self, status: HTTPStatus, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A complete request; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str] = field(repr=False)  # one of them has the token
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class PlainText:
    """A value that is sent as it is, not as JSON."""

    text: str
    content_type: str


# Sends a part of a body; raises `trio.TooSlowError` if the client does not read it in time.
Send = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Streamed:
    """A body whose parts ``write`` sends until it returns; then the connection is closed.

    ``write`` may raise `HttpError` before the first part.
    """

    write: Callable[[Send], Awaitable[None]]
    content_type: str


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A status and a value: `PlainText`, `Streamed`, or what JSON can hold."""

    status: HTTPStatus
    value: object
    headers: Mapping[str, str] = field(default_factory=dict)


Handle = Callable[[HttpRequest], Awaitable[HttpResponse]]


def raise_error(_what: str, error: Exception) -> None:
    """Raise *error*."""
    raise error


class HttpConnection:
    """Serves one stream until either side closes it."""

    def __init__(
        self, stream: trio.abc.Stream, handle: Handle, on_error: OnError = raise_error
    ) -> None:
        self._stream = stream
        self._handle = handle
        self._on_error = on_error
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEADERS_MAX_BYTES)
        self._scope = trio.CancelScope()
        self._is_head = False  # the response to such a request has no body (RFC 9110, 9.3.2)
        # The time since which the broker waits for the client; None while the client waits.
        self.waits_since: float | None = trio.current_time()

    async def serve(self) -> None:
        """Serve all requests and close the stream."""
        try:
            with self._scope:
                async with self._stream:
                    await self._serve_all()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the client has disconnected
        except trio.TooSlowError:
            pass  # the client does not read
        except Exception as error:
            self._on_error("a connection of the admin interface", error)

    def close(self) -> None:
        """End the connection at once, also during a request."""
        self._scope.cancel()

    async def _serve_all(self) -> None:
        while await self._serve_one():
            self._http.start_next_cycle()

    async def _serve_one(self) -> bool:
        """Serve one request; False if it was the last."""
        self._is_head = False
        try:
            request = await self._receive()
            if request is None:
                return False
            response = await self._respond(request)
            if response is None:
                return False
        except HttpError as error:
            response = _refusal(error)
        except h11.RemoteProtocolError as error:
            status = HTTPStatus(error.error_status_hint)
            response = _refusal(HttpError(status, f"not a request: {error}"))
        return await self._send(response) and self._http.states == _BOTH_DONE

    async def _receive(self) -> HttpRequest | None:
        """The next request; None if the client has closed, or was idle for too long."""
        with trio.move_on_after(REQUEST_TIMEOUT_S):
            head = await self._next_event()
            if not isinstance(head, h11.Request):
                return None
            self._is_head = head.method == b"HEAD"
            if head.method == b"CONNECT":
                raise HttpError(HTTPStatus.NOT_IMPLEMENTED, "CONNECT is not supported")
            return HttpRequest(
                head.method.decode("ascii"),
                head.target.decode("ascii", "replace"),
                {name.decode("ascii"): value.decode("latin-1") for name, value in head.headers},
                await self._body(),
            )
        if self._http.their_state is h11.IDLE and not self._http.trailing_data[0]:
            return None
        raise HttpError(
            HTTPStatus.REQUEST_TIMEOUT, f"no complete request within {REQUEST_TIMEOUT_S} s"
        )

    async def _respond(self, request: HttpRequest) -> HttpResponse | None:
        """The response, without a time limit; None if it has been sent in parts.

        It is also None if the client disconnects before.
        """
        response = None
        self.waits_since = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_for_disconnect, nursery.cancel_scope)
            try:
                response = await self._handle(request)
                if isinstance(response.value, Streamed):
                    await self._send_parts(response, response.value)
                    response = None
            except trio.TooSlowError:
                response = None
            except HttpError as error:
                response = _refusal(error)
            except Exception as error:
                response = self._failed(request, error)
            nursery.cancel_scope.cancel()
        self.waits_since = trio.current_time()
        return response

    def _failed(self, request: HttpRequest, error: Exception) -> HttpResponse:
        self._on_error(f"the admin request {request.method} {request.target}", error)
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        return _refusal(HttpError(status, "unexpected error; the broker's log has its traceback"))

    async def _watch_for_disconnect(self, responding: trio.CancelScope) -> None:
        """Cancel *responding* when the client disconnects; bytes that it sends are kept."""
        received = b"not yet"
        while received and len(self._http.trailing_data[0]) < HEADERS_MAX_BYTES:
            try:
                received = bytes(await self._stream.receive_some(_RECEIVE_BYTES))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                received = b""
            self._http.receive_data(received)
        if not received:
            responding.cancel()

    async def _body(self) -> bytes:
        body = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            body += event.data
            if len(body) > BODY_MAX_BYTES:
                raise HttpError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    f"a body may have at most {BODY_MAX_BYTES} bytes",
                )
        return bytes(body)

    async def _next_event(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                proceed = h11.InformationalResponse(status_code=100, headers=[])
                await self._stream.send_all(self._http.send(proceed) or b"")
            received = await self._stream.receive_some(_RECEIVE_BYTES)
            self._http.receive_data(bytes(received))

    async def _send(self, response: HttpResponse) -> bool:
        """Send a response; False if the client does not read it in time."""
        if self._http.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            return False
        body, content_type = await _encoded(response.value)
        headers = {"Content-Length": str(len(body))}
        if self._http.their_state is not h11.DONE:
            headers["Connection"] = "close"  # the rest of the request is not read
        out = self._http.send(_head(response, content_type, headers)) or b""
        if not self._is_head:
            out += self._http.send(h11.Data(data=body)) or b""
        out += self._http.send(h11.EndOfMessage()) or b""
        with trio.move_on_after(REQUEST_TIMEOUT_S) as timeout:
            await self._stream.send_all(out)
        return not timeout.cancelled_caught

    async def _send_parts(self, response: HttpResponse, body: Streamed) -> None:
        """Send a response in parts; the head is sent with the first one."""
        head = _head(response, body.content_type, {"Connection": "close"})

        async def send(part: bytes) -> None:
            out = b"" if self._http.our_state is h11.SEND_BODY else self._http.send(head) or b""
            out += self._http.send(h11.Data(data=part)) or b""
            self.waits_since = trio.current_time()
            with trio.fail_after(REQUEST_TIMEOUT_S):
                await self._stream.send_all(out)
            self.waits_since = None

        await body.write(send)


def _head(response: HttpResponse, content_type: str, framing: Mapping[str, str]) -> h11.Response:
    headers = {
        "Content-Type": content_type,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        **framing,
        **response.headers,
    }
    return h11.Response(
        status_code=response.status,
        reason=response.status.phrase.encode(),
        headers=list(headers.items()),
    )


async def _encoded(value: object) -> tuple[bytes, str]:
    """The body and its content type; other tasks run while a large body is encoded."""
    if isinstance(value, PlainText):
        return value.text.encode(), value.content_type
    pieces = list[str]()
    unbroken_chars = 0
    for piece in json_pieces(value):
        pieces.append(printable_json(piece))
        unbroken_chars += len(piece)
        if unbroken_chars > _ENCODED_AT_ONCE_CHARS:
            await trio.lowlevel.checkpoint()
            unbroken_chars = 0
    return "".join(pieces).encode() + b"\n", "application/json"


_BOTH_DONE = {h11.CLIENT: h11.DONE, h11.SERVER: h11.DONE}


def _refusal(error: HttpError) -> HttpResponse:
    return HttpResponse(error.status, {"error": error.message}, error.headers)
