"""The open connections of a node."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import groupby

import pytest
import trio
import trio.testing

from broker.common.state_changes import StateChanges
from broker.config import Config
from broker.network.connection import Connection
from broker.network.connection_setup import PlaintextSetup
from broker.network.connections import Connections
from protocol.framing import Scratch
from purgatories.timer.system_timer import SystemTimer
from tests.memory_transport import memory_transport_pair

pytestmark = pytest.mark.anyio


def fail(_peer: str, bug: Exception) -> None:
    """No connection is to have a bug."""
    raise bug


def opened_connections(now_ms: Callable[[], float]) -> Connections:
    timer = SystemTimer("test", now_ms=now_ms)
    return Connections(Config(), timer, Scratch(), fail, StateChanges())


async def test_a_connection_is_open_until_its_client_closes_it() -> None:
    """Open connections can be counted and iterated over."""
    connections = opened_connections(lambda: 0.0)
    setup = PlaintextSetup("PLAINTEXT", Config(), lambda *_: None)
    async with trio.open_nursery() as nursery:
        client, transport = memory_transport_pair()
        task = connections.open(setup.open(transport), nursery)
        nursery.start_soon(connections.serve, task)
        await trio.testing.wait_all_tasks_blocked()
        assert (len(connections), list(connections)) == (1, [task.connection])

        client.close()

    assert len(connections) == 0


@pytest.mark.parametrize(("step_ms", "in_turn"), [(0.0, 40), (0.5, 4), (10.0, 1)])
async def test_connections_with_pipelined_requests_alternate(step_ms: float, in_turn: int) -> None:
    """A connection is served for a slice of time, and then the others that are ready."""
    now_ms, served = 0.0, list[int]()

    def dispatch(connection: Connection, _frame: memoryview, _arrived_ms: float) -> None:
        nonlocal now_ms
        now_ms += step_ms
        served.append(connection.id)

    async with trio.open_nursery() as nursery:
        connections = opened_connections(lambda: now_ms)
        setup = PlaintextSetup("PLAINTEXT", Config(), dispatch)
        for _ in range(3):
            ours, theirs = memory_transport_pair()
            ours.send([struct.pack(">ih", 2, 0)] * 40)
            ours.end()
            nursery.start_soon(connections.serve, connections.open(setup.open(theirs), nursery))

    turns = [len(list(frames)) for _, frames in groupby(served)]
    assert len(served) == 120
    assert max(turns) <= 2 * in_turn  # the same connection may be the next one again
    assert turns.count(in_turn) >= len(turns) / 2
