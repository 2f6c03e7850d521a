"""Time limits between nodes and of the controller, which matter while a link has a fault."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import int32, int64
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class LinkKeys:
    """Time limits between nodes and of the controller."""

    broker_session_timeout_ms: int = key(
        "broker.session.timeout.ms",
        int32(),
        9000,
        "How long a node that is cut off from the controller is not fenced.",
    )
    controller_quorum_request_timeout_ms: int = key(
        "controller.quorum.request.timeout.ms",
        int32(0),
        2000,
        "After how long a node fetches lost metadata again.",
    )
    controller_socket_timeout_ms: int = key(
        "controller.socket.timeout.ms",
        int32(),
        30_000,
        "After how long a node sends a request to the controller again that has no response.",
    )
    replica_socket_timeout_ms: int = key(
        "replica.socket.timeout.ms",
        int32(),
        30_000,
        "After how long a follower closes a connection whose request or response was lost.",
    )
    socket_connection_setup_timeout_ms: int = key(
        "socket.connection.setup.timeout.ms",
        int64(),
        10_000,
        "How long a node waits for a connection to another node while their link has a fault.",
    )
