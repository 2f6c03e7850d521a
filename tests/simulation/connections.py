"""Requests of clients: each one uses its own connection, which stays open.

So an extra response would be noticed. A client whose connection is lost does not know the outcome
of its request.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import trio

from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.network.transports.transport import Disconnected
from tests.client import Client
from tests.simulation.history import History
from tests.simulation.network import SlowNetwork
from tests.simulation.violation import Violation


@dataclass(frozen=True)
class Answer:
    """A response: to which request, when it was sent and received, and the latency."""

    text: str
    sent_ms: float
    now_ms: float
    latency_ms: float
    response: Any


class Connections:
    """Sends requests and records them; ``in_progress`` is the number without response."""

    def __init__(self, cluster: Cluster, network: SlowNetwork, history: History) -> None:
        self.in_progress = 0
        self._cluster = cluster
        self._network = network
        self._history = history
        self._clients: list[Client] = []

    async def exchange(
        self,
        text: str,
        request: Any,
        version: int,
        node_id: int,
        *,
        expects_response: bool = True,
        is_counted: bool = True,
        limit_s: float = inf,
    ) -> Answer | None:
        """Send a request to a node; returns its response, if any.

        ``is_counted``: the request is one of ``in_progress``. After ``limit_s`` without a response
        the client closes its connection; the broker may still execute the request.
        """
        client = self._connect(node_id)
        if client is None:
            self.log(f"{text} on node {node_id}: connection refused")
            return None
        sent_ms = self._cluster.clock.now_ms()
        description = f"{text} on node {node_id}, sent at {sent_ms:.1f}"
        self.log(description)
        self.in_progress += is_counted
        try:
            client.start(request, version)
            if not expects_response:
                return None
            response = None
            with trio.move_on_after(limit_s):
                response = await client.receive()
            if response is None:
                client.transport.close()
                self.log(f"{description}: no response within {limit_s} s")
                return None
        except (EOFError, Disconnected):
            self.log(f"{description}: the connection is lost")
            return None
        finally:
            self.in_progress -= is_counted
        latency_ms = client.transport.latency_ms  # type: ignore[attr-defined]  # a slow one
        now_ms = self._cluster.clock.now_ms()
        return Answer(description, sent_ms, now_ms, latency_ms, response)

    def leader(self, key: TopicPartition) -> int:
        """The leader of a partition according to the controller; -1 if there is none."""
        topic = self._cluster.controller.topic(key.topic)
        return -1 if topic is None else topic.partitions[key.partition].leader

    def check_no_extra_responses(self) -> None:
        """Raise `Violation` if a client got an extra response."""
        for client in self._clients:
            if client.transport.incoming:
                raise Violation("a client got a response without a request")

    def log(self, text: str) -> None:
        """Add a line to the history."""
        self._history.log(self._cluster.clock.now_ms(), text)

    def _connect(self, node_id: int) -> Client | None:
        member = self._cluster.members.get(node_id)
        try:
            if member is None:
                raise ConnectionRefusedError
            client = Client(*self._network.join(member.broker.port))
        except ConnectionRefusedError:
            return None
        self._clients.append(client)
        return client
