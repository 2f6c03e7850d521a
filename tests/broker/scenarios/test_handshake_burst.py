"""Many TLS handshakes at once do not delay the requests of other clients.

Counts are asserted, not times: a handshake step takes 0.3 ms with a P-256 key and 4.5 ms with an
RSA key of 4096 bits, so what other clients wait for is the number of steps between their requests.
"""

from __future__ import annotations

import ssl
from itertools import groupby
from pathlib import Path

import pytest
import trio

from protocol.messages.metadata import MetadataRequest
from tests.broker.scenarios.secured_node import SecuredNode, client_hello, secured_node

pytestmark = pytest.mark.anyio

HANDSHAKES = 200
STEP, RESPONSE = "step", "response"
# From a request to the response the loop passes over the tasks of the client, of the poller and of
# the node that serves.
PASSES_PER_REQUEST = 5


def count_steps(secured: SecuredNode, listener: str, events: list[str]) -> None:
    """Add an event for each step that the node makes of a handshake."""

    class Counted(ssl.SSLObject):
        def do_handshake(self) -> None:
            events.append(STEP)
            super().do_handshake()

    secured.node.network.tls[listener].context.sslobject_class = Counted


class Passes(trio.abc.Instrument):
    """Counts the steps in each pass of the event loop."""

    def __init__(self, events: list[str]) -> None:
        self._events = events
        self._before = 0
        self.most_steps = 0

    def before_io_wait(self, timeout: float) -> None:
        """Called once in each pass."""
        steps = self._events.count(STEP)
        self.most_steps = max(self.most_steps, steps - self._before)
        self._before = steps


@pytest.mark.parametrize("listener", ["TLS", "SASLTLS"])
async def test_other_clients_are_served_between_the_steps_of_handshakes(
    tmp_path: Path, listener: str
) -> None:
    """All clients have sent their first message; a pass of the loop handles that of one client."""
    events: list[str] = []
    async with secured_node(tmp_path) as secured:
        count_steps(secured, listener, events)
        other, hello = secured.client(), client_hello()
        for _ in range(HANDSHAKES):
            secured.client(listener).write(hello)
        passes = Passes(events)
        trio.lowlevel.add_instrument(passes)
        while events.count(STEP) < HANDSHAKES:
            await other.send(MetadataRequest(topics=[]))
            events.append(RESPONSE)
        trio.lowlevel.remove_instrument(passes)

    assert passes.most_steps == 1
    between = [len(list(group)) for event, group in groupby(events) if event == STEP]
    assert max(between) <= PASSES_PER_REQUEST
