"""The request in flight on one connection to a node: its frame, and its response."""

from __future__ import annotations

from typing import Any, Final

from broker.network.transports.transport import Disconnected, Transport
from protocol.codec import Malformed
from protocol.framing import Inbox
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES

RESPONSE_BYTES_MAX: Final = 2**31 - 1


def receive(transport: Transport, inbox: Inbox) -> None:
    """Receive what has arrived, which may be nothing. Raises `Disconnected`."""
    try:
        count = transport.receive_into(inbox.space())
    except BlockingIOError:  # what arrived may be a part of a record of TLS
        return
    if count == 0:
        raise Disconnected("the node has closed the connection")
    inbox.received(count)


class InFlightRequest:
    """At most one request is in flight at a time, in the newest version of its API."""

    __slots__ = ("_body", "_client_id", "_correlation_id")

    def __init__(self, client_id: str) -> None:
        self._client_id = client_id
        self._correlation_id = 0
        self._body: Any = None

    def begin(self, body: Any) -> bytes:
        """Put a request in flight; returns its frame."""
        assert self._body is None, "one request is in flight at a time"
        self._correlation_id += 1
        version = body.__spec__.versions[-1]
        frame = encode_request(body, version, self._correlation_id, self._client_id)
        self._body = body
        return frame

    def end(self, frame: memoryview) -> Any:
        """The response in *frame* to the request in flight. Raises `Malformed`."""
        body, self._body = self._body, None
        if body is None:
            raise Malformed("a response without a request")
        spec = body.__spec__
        correlation_id, response = decode_response(RESPONSES[spec.key], spec.versions[-1], frame)
        if correlation_id != self._correlation_id:
            raise Malformed(
                f"the response of request {correlation_id}, not of {self._correlation_id}"
            )
        return response
