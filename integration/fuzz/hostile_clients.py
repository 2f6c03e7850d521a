"""Many hostile connections at once, each with a session; responses provide further values."""

from __future__ import annotations

import socket
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from select import select
from typing import Any

from integration.fuzz.recorded import split
from integration.fuzz.sessions import End, Session
from protocol.codec import Malformed
from protocol.headers import decode_response
from protocol.messages import RESPONSES

CONNECTIONS = 48
_RESPONSE_WITHIN_SECONDS = 0.02  # before a session is closed; parked requests get no response
_CONNECT_WITHIN_SECONDS = 30
_SEND_WITHIN_SECONDS = 1
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER with a time of 0


class HostileClients:
    """Plays sessions to the listener at *address*; ``learn`` is called with each response."""

    def __init__(self, address: tuple[str, int], learn: Callable[[Any], None]) -> None:
        self._address = address
        self._learn = learn
        self._open: deque[_Playing] = deque()

    def play(self, session: Session) -> None:
        """Open a connection and send all frames; the oldest connection is closed.

        Raises ConnectionRefusedError without a listener.
        """
        if len(self._open) == CONNECTIONS:
            self._open.popleft().finish(self._learn)
        self._open.append(_Playing(self._address, session))

    def finish(self) -> None:
        """Close every connection."""
        while self._open:
            self._open.popleft().finish(self._learn)


class _Playing:
    """One connection with its session."""

    def __init__(self, address: tuple[str, int], session: Session) -> None:
        self._session = session
        self._socket = socket.create_connection(address, timeout=_CONNECT_WITHIN_SECONDS)
        self._socket.settimeout(_SEND_WITHIN_SECONDS)
        self._received = bytearray()
        # The broker may close after the first frame, or stop reading while a request is parked.
        with suppress(OSError):
            self._socket.sendall(b"".join(session.frames))
            if session.end is End.HALF:
                self._socket.shutdown(socket.SHUT_WR)
        self._socket.setblocking(False)

    def finish(self, learn: Callable[[Any], None]) -> None:
        """End the connection as the session prescribes."""
        if self._session.end in (End.WAIT, End.HALF):
            self._read(learn)
        elif self._session.end is End.RESET:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._socket.close()

    def _read(self, learn: Callable[[Any], None]) -> None:
        while len(split(bytes(self._received))) < len(self._session.frames):
            readable, _, _ = select([self._socket], [], [], _RESPONSE_WITHIN_SECONDS)
            try:
                data = self._socket.recv(1 << 18) if readable else b""
            except OSError:
                break
            if not data:
                break
            self._received += data
        for frame, request in zip(
            split(bytes(self._received)), self._session.requests, strict=False
        ):
            if request is not None:
                with suppress(Malformed):
                    learn(decode_response(RESPONSES[request[0]], request[1], frame[4:])[1])
