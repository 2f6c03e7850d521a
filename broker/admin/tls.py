"""TLS of the admin interface: its context, and connections as trio streams.

The settings are ``ssl.*`` and, with precedence, ``listener.name.admin-http.ssl.*``.
"""

from __future__ import annotations

import logging
import ssl

import trio

from broker.common.errors import StartupError
from broker.config import Config
from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Disconnected, TlsFailed, Transport
from broker.security.listeners.endpoints import ADMIN_HTTP
from broker.security.tls.contexts import server_context
from broker.security.tls.settings import TlsSettings

log = logging.getLogger("antechamber.connection")

_RECEIVE_BYTES = 16_384


def admin_context(config: Config) -> ssl.SSLContext:
    """The context for clients of the interface; raises `StartupError`."""
    settings = TlsSettings.of(config, ADMIN_HTTP)
    if not settings.key_store.is_given:
        raise StartupError(
            "--admin-protocol: https needs a certificate; set ssl.keystore.location, "
            "give --tls, or --admin-protocol http"
        )
    return server_context(settings)


class TlsStream(trio.abc.Stream):
    """The server's side of a TLS connection over *transport*.

    The handshake is a part of the first receive. Each method raises `trio.BrokenResourceError`
    after the connection has ended; a failure of TLS is logged.
    """

    def __init__(self, transport: Transport, context: ssl.SSLContext) -> None:
        self._transport = TlsTransport(transport, context)

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Return what has arrived, at most *max_bytes*; empty at the end."""
        buffer = bytearray(max_bytes or _RECEIVE_BYTES)
        while True:
            try:
                await self._transport.wait_readable()
                return bytes(buffer[: self._transport.receive_into(memoryview(buffer))])
            except BlockingIOError:
                continue
            except Disconnected as error:
                raise self._broken(error) from None

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send *data*; the handshake must have ended."""
        rest = memoryview(data)
        try:
            while rest:
                await self._transport.wait_writable()
                rest = rest[self._transport.send([rest]) :]
        except Disconnected as error:
            raise self._broken(error) from None

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the socket takes bytes."""
        try:
            await self._transport.wait_writable()
        except Disconnected as error:
            raise self._broken(error) from None

    async def aclose(self) -> None:
        """End the TLS session and close."""
        self._transport.close()
        await trio.lowlevel.checkpoint()

    def _broken(self, error: Disconnected) -> trio.BrokenResourceError:
        if isinstance(error, TlsFailed):
            words = "closing connection from %s on the admin interface: TLS failed: %s"
            log.warning(words, self._transport.peer, error)
        return trio.BrokenResourceError(str(error))
