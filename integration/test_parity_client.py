"""The client of the parity scenarios."""

from __future__ import annotations

import selectors
import socket
from contextlib import closing

from integration.parity.client import Client, Receiver
from integration.parity.timing import Events


class StaleSelector(selectors.DefaultSelector):
    """Reports clients as ready that were closed meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.stale: list[selectors.SelectorKey] = []

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout)
        return [*((key, selectors.EVENT_READ) for key in self.stale), *ready]


def test_a_client_that_was_closed_meanwhile_does_not_end_the_receiver() -> None:
    """The other clients still get their bytes."""
    selector = StaleSelector()
    with socket.create_server(("127.0.0.1", 0)) as server, closing(Receiver(selector)) as receiver:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        closed = Client(receiver, address, Events())
        selector.stale.append(selector.get_key(closed.socket))
        closed.close()

        other = Client(receiver, address, Events())
        server.accept()[0].close()
        peer, _ = server.accept()
        peer.close()

        assert other.is_closed(10)
        other.close()
