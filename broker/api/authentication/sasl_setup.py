"""How the connections of a listener with SASL begin: with a login, maybe over TLS."""

from __future__ import annotations

from broker.api.authentication.sasl_connection import SaslListener
from broker.network.clients.connection_setup import Opening, anonymous_session
from broker.network.transports.tls_transport import TlsTransport
from broker.network.transports.transport import Transport
from broker.security.listeners.endpoints import Endpoint
from broker.security.tls.listener_tls import ListenerTls


class SaslSetup:
    """The principal is that of the login, also if the client has a certificate."""

    def __init__(self, endpoint: Endpoint, sasl: SaslListener, tls: ListenerTls | None) -> None:
        self._endpoint = endpoint
        self._sasl = sasl
        self._tls = tls

    def open(self, transport: Transport) -> Opening:
        """See `ConnectionSetup.open`."""
        endpoint, sasl = self._endpoint, self._sasl
        session = anonymous_session(transport, endpoint.listener, endpoint.protocol)
        if self._tls is not None:
            transport = TlsTransport(transport, self._tls.context)
        limit = sasl.settings.receive_bytes_max
        return Opening(transport, session, sasl.begin, limit, sasl.refuse_length)
