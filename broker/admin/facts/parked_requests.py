"""The requests that are parked now, from the descriptions of their waits (`Wait`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from operator import itemgetter
from typing import Any

from broker.api.request import Request
from broker.common.clock import Clock
from broker.network.clients.connection import Connection
from broker.wait_records.wait import Facts, Wait
from protocol.api_names import api_name

# A request whose work is under way, in slices or in a worker thread.
_IN_STEPS: Facts = {
    "purgatory": None,
    "waited_for": {"kind": "steps"},
    "timeout_ms": None,
    "remaining_ms": None,
    "checks": 0,
    "partitions": [],
}


def parked_requests(
    node_id: int,
    clock: Clock,
    connections: Iterable[Connection],
    partitions_max: int | None = None,
) -> Iterator[Facts]:
    """Each request in progress on a node, as docs/reference/admin.md lists it; the oldest first.

    Each has at most *partitions_max* partitions. A request that ends during the iteration may be
    left out.
    """
    parked = [
        (request.arrived_ms, connection, request)
        for connection in connections
        if isinstance(request := connection.in_progress, Request)
    ]
    for _, connection, request in sorted(parked, key=itemgetter(0)):
        if connection.in_progress is request:
            facts = _request(clock, request, partitions_max)
            yield {"node": node_id, "connection": connection.id, **facts}


def _request(clock: Clock, request: Request[Any], partitions_max: int | None) -> Facts:
    now_ms, wait = clock.now_ms(), request.wait
    return {
        "client_id": request.client_id,
        "principal": str(request.session.principal),
        "listener": request.session.listener,
        "correlation_id": request.header.correlation_id,
        "api": api_name(request.header.api_key),
        "version": request.version,
        "arrived_us": clock.wall_us_at(request.arrived_ms),
        "parked_us": int((now_ms - request.arrived_ms) * 1000),
        "follower": wait is not None and wait.is_follower,
        **(
            _IN_STEPS
            if wait is None or request.is_in_steps
            else _wait(wait, now_ms, partitions_max)
        ),
    }


def _wait(wait: Wait, now_ms: float, partitions_max: int | None) -> Facts:
    return {
        "purgatory": wait.purgatory,
        "waited_for": wait.condition(),
        "timeout_ms": wait.timeout_ms,
        "remaining_ms": wait.remaining_ms(now_ms),
        "checks": wait.checks,
        "partitions": list(islice(wait.partition_facts(), partitions_max)),
    }
