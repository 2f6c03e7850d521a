"""A client that sends messages of any version, and records the time of each response.

It encodes with the project's own `protocol`, which a real Kafka thereby checks. One thread receives
for all connections, so that the time of a response is recorded whatever the scenario does.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any

from integration.parity.timing import Events, Wait
from integration.security.tls_socket import TlsSocket
from integration.wire.connection import address, framed
from protocol.framing import LENGTH_BYTES
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES

# If the newest version has only topic ids, requests with topic names are sent in this version.
BY_NAME = {0: 12, 1: 12, 9: 9, 8: 9}
RESPONSE_WITHIN_S = 60.0
_CHUNK = 1 << 20

Edit = Callable[[bytes], bytes]  # changes the bytes of a request's header and body


class Closed(Exception):  # noqa: N818 - the name states what happened
    """The broker closed the connection instead of responding."""


class PendingFrame:
    """A sent frame, and the frame of its response once it has arrived."""

    def __init__(self, sent: Any, events: Events) -> None:
        self._sent = sent
        self.wait = Wait(sent, events)
        self._frame: bytes | None = None

    def done(self, frame: bytes | None) -> None:
        """Called once, with the response, or with None when the connection is closed."""
        self._frame = frame
        self.wait.end()

    def waits(self) -> bool:
        """Whether no response arrives for a short time."""
        return self.wait.is_pending()

    def frame(self, within_s: float = RESPONSE_WITHIN_S) -> bytes:
        """Return the frame; raises `Closed`, and `TimeoutError` when none arrives."""
        if not self.wait.is_over(within_s):
            raise TimeoutError(f"{type(self._sent).__name__}: no response within {within_s} s")
        if self._frame is None:
            raise Closed(type(self._sent).__name__)
        return self._frame


class Pending(PendingFrame):
    """A sent request, and its response once it has arrived."""

    def __init__(self, request: Any, version: int, correlation_id: int, events: Events) -> None:
        super().__init__(request, events)
        self.request = request
        self.version = version
        self.correlation_id = correlation_id

    def response(self, within_s: float = RESPONSE_WITHIN_S) -> Any:
        """Return the response; raises `Closed`, and `TimeoutError` when none arrives."""
        frame = self.frame(within_s)
        cls = RESPONSES[self.request.__spec__.key]
        correlation_id, body = decode_response(cls, self.version, frame)
        assert correlation_id == self.correlation_id, "responses must have the order of requests"
        return body


class Client:
    """One connection; requests may be sent while earlier ones wait."""

    def __init__(
        self,
        receiver: Receiver,
        bootstrap: str,
        events: Events,
        client_id: str = "parity",
        context: ssl.SSLContext | None = None,
    ) -> None:
        plain = socket.create_connection(address(bootstrap), RESPONSE_WITHIN_S)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = plain if context is None else TlsSocket(plain, context)
        self.client_id = client_id
        self._events = events
        self._correlation_ids = count(1)
        self._sent: deque[PendingFrame] = deque()
        self._inbox = bytearray()
        self.ended = False
        self._receiver = receiver
        receiver.add(self)

    def start(
        self, request: Any, version: int | None = None, *, edit: Edit | None = None
    ) -> Pending:
        """Send a request, its bytes changed by *edit*, without waiting for the response."""
        spec = request.__spec__
        if version is None:
            version = BY_NAME.get(spec.key, spec.versions[-1])
        self._events.happens()
        pending = Pending(request, version, next(self._correlation_ids), self._events)
        self._sent.append(pending)
        frame = encode_request(request, version, pending.correlation_id, self.client_id)
        self.write(frame if edit is None else framed(edit(frame[LENGTH_BYTES:])))
        if self.ended:
            self._abandon()
        return pending

    def request(self, request: Any, version: int | None = None) -> Any:
        """Send a request and return its response."""
        return self.start(request, version).response()

    def start_frame(self, payload: bytes) -> PendingFrame:
        """Send bytes with their length, without waiting for the frame of the response."""
        self._events.happens()
        pending = PendingFrame(payload, self._events)
        self._sent.append(pending)
        self.write(framed(payload))
        if self.ended:
            self._abandon()
        return pending

    def send(self, request: Any, version: int) -> None:
        """Send a request without a response."""
        self._events.happens()
        self.write(encode_request(request, version, next(self._correlation_ids), self.client_id))

    def write(self, data: bytes) -> None:
        """Send bytes unchanged; an error of a closed connection is ignored."""
        try:
            self.socket.sendall(data)
        except OSError:
            self.ended = True

    def is_closed(self, within_s: float = RESPONSE_WITHIN_S) -> bool:
        """Whether the broker closes the connection within a short time."""
        deadline = time.monotonic() + within_s
        while not self.ended and time.monotonic() < deadline:
            time.sleep(0.005)
        return self.ended

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        if self.socket.fileno() < 0:
            return
        self._receiver.remove(self)
        self.socket.close()

    def arrived(self, data: bytes) -> None:
        """Handle received bytes; empty bytes mean that the broker closed the connection."""
        self._inbox += data
        while len(self._inbox) >= 4:
            (size,) = struct.unpack_from(">i", self._inbox)
            if len(self._inbox) < 4 + size:
                break
            frame = bytes(self._inbox[4 : 4 + size])
            del self._inbox[: 4 + size]
            if self._sent:  # bytes sent by `write` may get a response, which is ignored
                self._sent.popleft().done(frame)
        if not data:
            self.ended = True
            self._abandon()

    def _abandon(self) -> None:
        while self._sent:
            self._sent.popleft().done(None)


class Receiver:
    """The thread that receives for all clients.

    A client that is ready may be closed before the thread reads it.
    """

    def __init__(self, selector: selectors.BaseSelector | None = None) -> None:
        self._selector = selector or selectors.DefaultSelector()
        self._clients: set[Client] = set()
        self._lock = threading.Lock()
        self._woken, self._waker = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, name="receiver", daemon=True)
        self._running = True
        self._thread.start()

    def add(self, client: Client) -> None:
        """Receive for a client from now on."""
        with self._lock:
            self._selector.register(client.socket, selectors.EVENT_READ, client)
            self._clients.add(client)
        self._waker.send(b"x")

    def remove(self, client: Client) -> None:
        """Stop receiving for a client."""
        with self._lock:
            self._forget(client)

    def close(self) -> None:
        """End the thread."""
        self._running = False
        self._waker.send(b"x")
        self._thread.join(10)
        self._selector.close()
        self._woken.close()
        self._waker.close()

    def _run(self) -> None:
        while self._running:
            ready = self._selector.select()
            with self._lock:
                for key, _ in ready:
                    if key.data is None:
                        self._woken.recv(4096)
                    elif key.data in self._clients:
                        self._read(key.data)

    def _read(self, client: Client) -> None:
        try:
            data = client.socket.recv(_CHUNK)
        except BlockingIOError:  # a part of a TLS record
            return
        except OSError:
            data = b""
        client.arrived(data)
        if not data:
            self._forget(client)

    def _forget(self, client: Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
            self._selector.unregister(client.socket)
