"""How the connections of an SSL listener begin: with the handshake of TLS.

The principal is made from the client's certificate when the first request arrives, because the
handshake has ended then (``SslChannelBuilder``, ``DefaultKafkaPrincipalBuilder``).
"""

from __future__ import annotations

from dataclasses import replace

from broker.config import Config
from broker.network.clients.connection import Connection, Dispatch
from broker.network.clients.connection_setup import Opening, anonymous_session
from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Transport
from broker.security.session import SecurityProtocol
from broker.security.tls.listener_tls import ListenerTls


class SslSetup:
    """Clients without a certificate are anonymous; requests are passed to ``dispatch``."""

    def __init__(self, listener: str, config: Config, tls: ListenerTls, dispatch: Dispatch) -> None:
        self._listener = listener
        self._config = config
        self._tls = tls
        self._dispatch = dispatch

    def open(self, transport: Transport) -> Opening:
        """See `ConnectionSetup.open`."""
        encrypted = TlsTransport(transport, self._tls.context)
        session = anonymous_session(transport, self._listener, SecurityProtocol.SSL)
        request_bytes_max = self._config.socket_request_max_bytes

        def begin(connection: Connection, frame: memoryview, arrived_ms: float) -> None:
            principal = self._tls.rules.principal(encrypted.peer_certificate)
            connection.session = replace(session, principal=principal)
            connection.continue_with(self._dispatch, request_bytes_max)
            self._dispatch(connection, frame, arrived_ms)

        return Opening(encrypted, session, begin, request_bytes_max)
