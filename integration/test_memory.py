"""Connections come and go by the hundred; what they took, they give back.

Measured from outside, in resident memory, between rounds that do the same thing.
"""

from __future__ import annotations

from collections.abc import Callable

import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from integration.antechamber_process import Antechamber, Serve
from integration.deadlines import eventually
from integration.wire.connection import Connection
from integration.wire.requests import api_versions, fetch
from integration.wire.topics import make_topic

CONNECTIONS = 400
ROUNDS = 5
MAY_GROW_BYTES = 16 << 20  # a read buffer of 64 KB left behind by each would be seven times that

Round = Callable[[list[Connection], str], None]


@pytest.fixture
def broker_alone(serve: Serve) -> Antechamber:
    """A broker that nobody else talks to."""
    return serve()


def leave_at_once(crowd: list[Connection], topic: str) -> None:
    """Ask nothing that waits."""
    for each in crowd:
        each.ask(api_versions())


def wait_and_be_answered(crowd: list[Connection], topic: str) -> None:
    """Park a fetch, and take its answer."""
    for each in crowd:
        each.send(fetch(topic, 0, 0, max_wait_ms=100))
    for each in crowd:
        each.receive()


def leave_while_waiting(crowd: list[Connection], topic: str) -> None:
    """Park a fetch for an hour, and hang up."""
    for each in crowd:
        each.send(fetch(topic, 0, 0, max_wait_ms=3_600_000))


@pytest.mark.parametrize("do", [leave_at_once, wait_and_be_answered, leave_while_waiting])
def test_a_connection_leaves_nothing_behind(
    broker_alone: Antechamber, topic: str, do: Round
) -> None:
    """After a first round that makes room, memory stays where it is."""
    process = psutil.Process(broker_alone.pid)
    with Connection(broker_alone.bootstrap) as other:
        make_topic(other, topic)
        sockets = process.num_fds()
        resident = []
        for _ in range(ROUNDS):
            crowd = [Connection(broker_alone.bootstrap) for _ in range(CONNECTIONS)]
            do(crowd, topic)
            other.ask(api_versions())
            for each in crowd:
                each.close()
            eventually(lambda: process.num_fds() <= sockets, "the broker closed them all")
            resident.append(process.memory_info().rss)
    assert resident[-1] - resident[0] < MAY_GROW_BYTES, resident
