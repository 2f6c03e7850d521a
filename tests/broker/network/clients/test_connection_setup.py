"""How the connections of a listener begin: `broker.network.clients.connection_setup`."""

from __future__ import annotations

from broker.config import Config
from broker.network.clients.connection import Connection
from broker.network.clients.connection_setup import PlaintextSetup
from broker.network.transports.memory_transport import memory_transport_pair
from broker.security.principal import ANONYMOUS
from broker.security.session import SecurityProtocol, Session


def dispatch(_connection: Connection, _frame: memoryview, _arrived_ms: float) -> None:
    """Serve no request."""


def test_a_client_of_a_plaintext_listener_is_anonymous() -> None:
    """Its requests are dispatched from the first frame on."""
    transport, _ = memory_transport_pair()
    transport.peer = "::1"
    config = Config(socket_request_max_bytes=2000)

    opening = PlaintextSetup("INTERNAL", config, dispatch).open(transport)

    assert opening.session == Session(
        ANONYMOUS, "0:0:0:0:0:0:0:1", "INTERNAL", SecurityProtocol.PLAINTEXT
    )
    assert opening == (transport, opening.session, dispatch, 2000, None)
