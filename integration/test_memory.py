"""Connections that come and go by the hundred release their memory.

Measured as resident memory of the process between equal rounds.
"""

from __future__ import annotations

from collections.abc import Callable

import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from antechamber import Cluster
from integration.machine.deadlines import eventually
from integration.wire.connection import Connection
from integration.wire.requests import api_versions, fetch
from integration.wire.topics import make_topic

CONNECTIONS = 400
ROUNDS = 5
MAY_GROW_BYTES = 16 << 20  # leaking a read buffer of 64 KB each would be seven times that

Round = Callable[[Cluster, list[Connection], str], None]


def leave_at_once(broker: Cluster, crowd: list[Connection], topic: str) -> None:
    """Send requests that do not wait."""
    for each in crowd:
        each.request(api_versions())


def wait_for_a_response(broker: Cluster, crowd: list[Connection], topic: str) -> None:
    """Park a fetch, and read its response."""
    for each in crowd:
        each.send(fetch(topic, 0, 0, max_wait_ms=100))
    for each in crowd:
        each.receive()


def leave_while_waiting(broker: Cluster, crowd: list[Connection], topic: str) -> None:
    """Park a fetch for an hour, and disconnect."""
    for each in crowd:
        each.send(fetch(topic, 0, 0, max_wait_ms=3_600_000))
    broker.wait_parked("Fetch", topic, count=len(crowd))


@pytest.mark.parametrize("do", [leave_at_once, wait_for_a_response, leave_while_waiting])
def test_a_connection_releases_its_memory(
    cluster: Callable[..., Cluster], topic: str, do: Round
) -> None:
    """After a first round, memory does not grow."""
    broker = cluster()
    process = psutil.Process(broker.pid)
    with Connection(broker.bootstrap) as other:
        make_topic(other, topic)
        sockets = process.num_fds()
        resident = []
        for _ in range(ROUNDS):
            crowd = [Connection(broker.bootstrap) for _ in range(CONNECTIONS)]
            do(broker, crowd, topic)
            other.request(api_versions())
            for each in crowd:
                each.close()
            eventually(lambda: process.num_fds() <= sockets, "the broker closed all of them")
            resident.append(process.memory_info().rss)
    assert resident[-1] - resident[0] < MAY_GROW_BYTES, resident
