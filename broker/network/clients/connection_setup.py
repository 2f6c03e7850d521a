"""How the connections of one listener begin (Kafka's ``ChannelBuilder``)."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from broker.config import Config
from broker.network.clients.connection import Dispatch, RefuseLength
from broker.network.transports.transport import Transport
from broker.security.listeners.java_address import java_address
from broker.security.session import SecurityProtocol, Session


class Opening(NamedTuple):
    """The first state of a connection.

    ``transport`` carries its frames, and ``session`` is its client. ``dispatch`` receives the
    frames, of up to ``request_bytes_max`` bytes, until `Connection.continue_with` replaces both.
    ``refuse_length`` ends the connection after a frame of another length, by default at once.
    """

    transport: Transport
    session: Session
    dispatch: Dispatch
    request_bytes_max: int
    refuse_length: RefuseLength | None = None


class ConnectionSetup(Protocol):
    """Opens the connections of one listener."""

    def open(self, transport: Transport) -> Opening:
        """How a connection begins whose bytes *transport* carries; it does not wait."""
        ...


def anonymous_session(transport: Transport, listener: str, protocol: SecurityProtocol) -> Session:
    """The session of a new connection, until its client has authenticated."""
    return Session(host=java_address(transport.peer), listener=listener, protocol=protocol)


class PlaintextSetup:
    """Connections without authentication begin with the dispatcher of requests."""

    def __init__(self, listener: str, config: Config, dispatch: Dispatch) -> None:
        self._listener = listener
        self._config = config
        self._dispatch = dispatch

    def open(self, transport: Transport) -> Opening:
        """See `ConnectionSetup.open`."""
        session = anonymous_session(transport, self._listener, SecurityProtocol.PLAINTEXT)
        return Opening(transport, session, self._dispatch, self._config.socket_request_max_bytes)
