"""Hostile logins: TLS and SASL that are damaged, unordered, at a wrong port, or unfinished."""

from __future__ import annotations

import random
import socket
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Self

from integration.fuzz.frames import damaged
from integration.fuzz.secured import LISTENERS, PASSWORD, USER
from integration.fuzz.sessions import Sessions
from integration.security.certificates import certificates
from integration.security.sasl import (
    OAUTHBEARER,
    PLAIN,
    SHA_256,
    Scram,
    bearer,
    plain,
    unsecured_token,
)
from integration.security.tls_socket import TlsSocket, client_context
from protocol.headers import encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from protocol.messages.sasl_handshake import SaslHandshakeRequest

HALF_OPEN_MAX = 300
_OPENED_AT_ONCE = 20
_WITHIN_S = 0.05  # for each step; a damaged message may have no response
_HANDSHAKE_PIECES = 4
_MECHANISMS = (PLAIN, SHA_256, OAUTHBEARER, "GSSAPI", "")
_TLS = tuple(name for name, protocol in LISTENERS.items() if protocol.endswith("SSL"))
_SASL = tuple(name for name, protocol in LISTENERS.items() if protocol.startswith("SASL"))


class HostileLogins:
    """Plays logins to the listeners; *sessions* draws the requests that follow some of them.

    Connections that never finish are closed when there are more than `HALF_OPEN_MAX`.
    """

    def __init__(
        self,
        chance: random.Random,
        listeners: Mapping[str, tuple[str, int]],
        sessions: Sessions,
    ) -> None:
        self._chance = chance
        self._listeners = listeners
        self._sessions = sessions
        self._half_open: deque[socket.socket] = deque()

    def play(self) -> int:
        """Play one login; returns the number of messages that were sent.

        Raises ConnectionRefusedError without a listener.
        """
        steps = (self._leave_open, self._shake_hands, self._log_in, self._send_elsewhere)
        play: Callable[[], int] = self._chance.choice(steps)
        return play()

    def finish(self) -> None:
        """Close every connection."""
        while self._half_open:
            self._half_open.popleft().close()

    # ------------------------------------------------------------------------------- logins

    def _leave_open(self) -> int:
        """Send the beginnings of handshakes or logins, and one byte more to other connections."""
        chance = self._chance
        data = chance.choice((client_hello(), self._login_frames()[0]))
        for _ in range(_OPENED_AT_ONCE):
            connected = self._connect(chance.choice(tuple(self._listeners)))
            self._half_open.append(connected)
            with suppress(OSError):
                connected.sendall(data[: chance.randrange(len(data))])
                chance.choice(self._half_open).sendall(chance.randbytes(1))
            if len(self._half_open) > HALF_OPEN_MAX:
                self._half_open.popleft().close()
        return _OPENED_AT_ONCE

    def _shake_hands(self) -> int:
        """Open a TLS session of which one message may be damaged, and send requests."""
        name = self._chance.choice(_TLS)
        wire = DamagedSocket(self._connect(name), self._chance)
        with wire, suppress(OSError):  # ssl.SSLError is one
            client = TlsSocket(wire, self._context())  # type: ignore[arg-type]  # it has the methods
            frames = self._login_frames() if name in _SASL else []
            frames += self._sessions.draw().frames
            for frame in frames:
                client.sendall(frame)
            client.recv(1 << 16)
            return len(frames) + 2
        return 2

    def _log_in(self) -> int:
        """Log in, maybe in a wrong order, with tokens of which one may be damaged."""
        frames = self._login_frames()
        if self._chance.random() < 0.3:
            self._chance.shuffle(frames)
        frames += self._sessions.draw().frames
        connected = self._connect("SASL")
        with connected, suppress(OSError):
            for frame in frames:
                connected.sendall(frame)
                if self._chance.random() < 0.5:
                    connected.recv(1 << 16)
        return len(frames)

    def _send_elsewhere(self) -> int:
        """Send TLS to a listener without it, or requests to one with it."""
        chance = self._chance
        data = chance.choice(
            (client_hello(), chance.randbytes(chance.randrange(1, 300)), b"GET / HTTP/1.1\r\n\r\n")
        )
        connected = self._connect(chance.choice(tuple(self._listeners)))
        with connected, suppress(OSError):
            connected.sendall(data)
            if chance.random() < 0.5:
                connected.sendall(b"".join(self._sessions.draw().frames))
            connected.recv(1 << 16)
        return 1

    # -------------------------------------------------------------------------------- parts

    def _connect(self, name: str) -> socket.socket:
        connected = socket.create_connection(self._listeners[name], timeout=30)
        connected.settimeout(_WITHIN_S)
        return connected

    def _context(self) -> ssl.SSLContext:
        return self._chance.choice(self._contexts)

    @cached_property
    def _contexts(self) -> list[ssl.SSLContext]:
        given = certificates()
        known = given.authority.path
        return [
            client_context(known),
            client_context(known, given.client.path),
            client_context(known, given.untrusted.path),
            client_context(known, given.expired.path),
            client_context(known, given.client.path, highest=ssl.TLSVersion.TLSv1_2),
            client_context(given.stranger.path),
        ]

    def _login_frames(self) -> list[bytes]:
        """The requests of a login; in half of the cases one of them is damaged."""
        chance = self._chance
        mechanism = chance.choice(_MECHANISMS)
        versions = ApiVersionsRequest(client_software_name="a", client_software_version="1")
        handshake = SaslHandshakeRequest(mechanism=mechanism)
        frames = [encode_request(versions, 3, 1, "fuzz")] if chance.random() < 0.5 else []
        frames.append(encode_request(handshake, chance.choice((0, 1, 1, 1)), 2, "fuzz"))
        for token in self._tokens(mechanism):
            request = SaslAuthenticateRequest(auth_bytes=token)
            frames.append(encode_request(request, chance.randrange(3), 3, "fuzz"))
        if chance.random() < 0.5:
            at = chance.randrange(len(frames))
            frames[at] = damaged(chance, frames[at], frames)
        return frames

    def _tokens(self, mechanism: str) -> list[bytes]:
        """The tokens of a login; the second one of SCRAM cannot be the right one."""
        if mechanism == SHA_256:
            scram = Scram(mechanism, USER, PASSWORD)
            first = b"r=" + scram.nonce.encode() + b"x,s=c2FsdA==,i=4096"
            return [scram.first(), scram.final(first)]
        if mechanism == OAUTHBEARER:
            return [bearer(unsecured_token(USER))]
        return [plain(USER, PASSWORD)]


class DamagedSocket:
    """A socket of a TLS client; one of the first pieces that it sends may be damaged."""

    def __init__(self, connected: socket.socket, chance: random.Random) -> None:
        self._connected = connected
        self._chance = chance
        self._intact = chance.randrange(_HANDSHAKE_PIECES + 2)
        self.recv = connected.recv
        self.close = connected.close

    def sendall(self, data: bytes) -> None:
        """Send *data*, or something else."""
        if data:
            if self._intact == 0:
                data = damaged(self._chance, b"\0\0\0\0" + data, [])[4:]
            self._intact -= 1
        self._connected.sendall(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connected.close()


def client_hello() -> bytes:
    """The first message of a TLS client."""
    outgoing = ssl.MemoryBIO()
    context = client_context(certificates().authority.path)
    with suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost").do_handshake()
    return outgoing.read()
