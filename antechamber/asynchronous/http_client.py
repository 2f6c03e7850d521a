"""Requests to an admin interface for asyncio and trio, one connection a request."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from http.client import HTTPException, RemoteDisconnected
from typing import Any, TypeVar

import anyio
import h11
from anyio import to_thread
from anyio.abc import ByteStream

from antechamber.admin_client import AdminClient
from antechamber.admin_endpoint import ADMIN_URL_DEFAULT, Endpoint
from antechamber.admin_http import (
    RESPONSE_TIMEOUT_S,
    Body,
    Parameters,
    content_of,
    failures,
    result,
    target,
)

T = TypeVar("T")

# The limit of what an operation does after it was cancelled, such as to let the clock run again.
CLEANUP_TIMEOUT_S = 10.0
_RECEIVE_BYTES = 65_536
_CLOSED = "the connection was closed before a response"


class AsyncHttpClient:
    """A client of the admin interface at *url*; see `HttpClient`."""

    def __init__(
        self,
        url: str = ADMIN_URL_DEFAULT,
        *,
        token: str | None = None,
        ca: str | os.PathLike[str] | None = None,
    ) -> None:
        self._endpoint = Endpoint(url, token=token, ca=ca)
        # A blocking client of the same interface, for what a thread does.
        self.blocking = partial(AdminClient, url, token=token, ca=ca)

    @property
    def url(self) -> str:
        """The URL of the admin interface."""
        return self._endpoint.url

    async def call(
        self,
        method: str,
        path: str,
        wanted: Parameters | None = None,
        wait_s: float = 0.0,
        body: Body = None,
    ) -> Any:
        """See `HttpClient.call`; if it is cancelled, it closes the connection."""
        content, headers = content_of(body)
        request = h11.Request(
            method=method,
            target=target(path, wanted),
            headers=[*self._headers().items(), *headers.items()],
        )
        with failures(self.url):
            with anyio.fail_after(wait_s + RESPONSE_TIMEOUT_S):
                status, received = await self._exchange(request, content)
            value = json.loads(received)
        return result(status, value)

    def _headers(self) -> dict[str, str]:
        host = f"[{self._endpoint.host}]" if ":" in self._endpoint.host else self._endpoint.host
        fixed = {"Host": f"{host}:{self._endpoint.port}", "Connection": "close"}
        return {**fixed, **self._endpoint.headers}

    async def _exchange(self, request: h11.Request, content: bytes | None) -> tuple[int, bytes]:
        """The status and the body of the response."""
        protocol = h11.Connection(h11.CLIENT)
        sent = protocol.send(request) or b""
        if content is not None:
            sent += protocol.send(h11.Data(data=content)) or b""
        sent += protocol.send(h11.EndOfMessage()) or b""
        try:
            async with await self._connect() as stream:
                await stream.send(sent)
                return await _response(stream, protocol)
        except anyio.BrokenResourceError:
            raise RemoteDisconnected(_CLOSED) from None
        except h11.RemoteProtocolError as error:
            raise HTTPException(str(error)) from None

    async def _connect(self) -> ByteStream:
        host, port, context = self._endpoint.host, self._endpoint.port, self._endpoint.context
        try:
            if context is None:
                return await anyio.connect_tcp(host, port)
            return await anyio.connect_tcp(
                host, port, ssl_context=context, tls_standard_compatible=False
            )
        except OSError as error:
            raise _reason(error) from None


async def in_thread(function: Callable[[], T]) -> T:
    """The result of *function*, which makes short requests and blocks.

    If the call is cancelled, the thread ends after the request that is in progress.
    """
    return await to_thread.run_sync(function, abandon_on_cancel=True)


def _reason(error: OSError) -> OSError:
    """The exception with the reason, which neither anyio's message nor asyncio's has."""
    cause = error.__cause__
    if isinstance(cause, ConnectionError) and cause.errno is not None:
        return OSError(cause.errno, os.strerror(cause.errno))
    return cause if isinstance(cause, OSError) else error


async def _response(stream: ByteStream, protocol: h11.Connection) -> tuple[int, bytes]:
    status, body = 0, b""
    while not isinstance(event := protocol.next_event(), h11.EndOfMessage):
        if isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif event is h11.NEED_DATA:
            protocol.receive_data(await _received(stream, is_begun=status != 0))
        elif isinstance(event, h11.ConnectionClosed):
            raise RemoteDisconnected(_CLOSED)
    return status, body


async def _received(stream: ByteStream, *, is_begun: bool) -> bytes:
    """The next bytes, empty at the end of the stream; raises if no response has begun."""
    try:
        return await stream.receive(_RECEIVE_BYTES)
    except anyio.EndOfStream:
        if not is_begun:
            raise RemoteDisconnected(_CLOSED) from None
        return b""
