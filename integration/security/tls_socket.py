"""A TLS connection over a blocking socket: one thread may receive while others send.

An `ssl.SSLSocket` allows neither that nor waiting with a selector, because decrypted bytes lie in
it while the socket is not readable.
"""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

_CHUNK = 1 << 16


class TlsSocket:
    """The methods of `socket.socket` that clients of the tests use.

    The constructor performs the handshake. If that fails it closes the socket, and raises
    `ssl.SSLError` or `OSError`.
    """

    def __init__(self, plain: socket.socket, context: ssl.SSLContext) -> None:
        self._plain = plain
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname="localhost")
        self._lock = threading.Lock()
        try:
            self._handshake()
        except BaseException:
            plain.close()
            raise

    @property
    def version(self) -> str | None:
        """The negotiated protocol, such as ``TLSv1.3``."""
        return self._tls.version()

    @property
    def certificate(self) -> bytes | None:
        """The certificate of the server (DER)."""
        return self._tls.getpeercert(binary_form=True)

    def fileno(self) -> int:
        """The descriptor of the socket; -1 after `close`."""
        return self._plain.fileno()

    def recv(self, size: int) -> bytes:
        """Receive decrypted bytes; empty at the end.

        Raises `BlockingIOError` if the bytes that have arrived are not a complete record, and
        `ssl.SSLError` after an alert.
        """
        chunk = self._plain.recv(_CHUNK)
        with self._lock:
            self._incoming.write(chunk) if chunk else self._incoming.write_eof()
            received = bytearray()
            with suppress(ssl.SSLWantReadError, ssl.SSLZeroReturnError, ssl.SSLEOFError):
                for part in iter(partial(self._tls.read, size), b""):
                    received += part
        if chunk and not received:
            raise BlockingIOError
        return bytes(received)

    def sendall(self, data: bytes) -> None:
        """Encrypt and send all bytes."""
        with self._lock:
            self._tls.write(data)
            self._flush()

    def setsockopt(self, level: int, option: int, value: int) -> None:
        """Set an option of the socket."""
        self._plain.setsockopt(level, option, value)

    def close(self) -> None:
        """Close the connection without a closing alert."""
        self._plain.close()

    def _handshake(self) -> None:
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._flush()
                chunk = self._plain.recv(_CHUNK)
                if not chunk:
                    raise ConnectionResetError("closed in the handshake") from None
                self._incoming.write(chunk)
            except ssl.SSLError:
                self._flush()
                raise
            else:
                self._flush()
                return

    def _flush(self) -> None:
        self._plain.sendall(self._outgoing.read())


def client_context(
    ca: Path, certificate: Path | None = None, *, highest: ssl.TLSVersion | None = None
) -> ssl.SSLContext:
    """A client that trusts *ca*, and has a certificate if one is given."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(ca)
    if highest is not None:
        context.maximum_version = highest
    if certificate is not None:
        context.load_cert_chain(certificate)
    return context
