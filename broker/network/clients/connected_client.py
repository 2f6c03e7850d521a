"""What the requests of a connection say about its client."""

from __future__ import annotations

from collections.abc import Callable


class ConnectedClient:
    """The client of one connection, which was opened at ``opened_ms``.

    ``client_id`` is that of the latest request, and ``software`` the name and version of its
    library (KIP-511). ``tally`` counts the requests of all connections with that client id, by API;
    None before the first request. ``requests`` is the number of requests of this connection.
    ``on_closed`` is called when the connection ends, except at the shutdown of the node.
    """

    __slots__ = ("client_id", "on_closed", "opened_ms", "requests", "software", "tally")

    def __init__(self, opened_ms: float = 0.0) -> None:
        self.opened_ms = opened_ms
        self.client_id: str | None = None
        self.software: tuple[str, str] | None = None
        self.tally: dict[int, int] | None = None
        self.requests = 0
        self.on_closed: Callable[[], object] | None = None

    def ended(self) -> None:
        """Call ``on_closed``, at most once."""
        on_closed, self.on_closed = self.on_closed, None
        if on_closed is not None:
            on_closed()
