"""Curves of open connections, of parked fetches, and of group members: a connection for each."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.groups import MEMBERS_EACH, Member, form, new_group
from benchmarks.growth.curve import BESIDE, Curve, beside
from benchmarks.parked import settle, wake
from benchmarks.systems import System
from integration.wire.connection import address
from integration.wire.requests import api_versions, fetch

RESERVED_DESCRIPTORS = 1000
PORTS_OF_AN_ADDRESS = 20_000
_HELLO_BYTES = 1 << 16


def open_connections(
    system: System, sizes: Sequence[int]
) -> Iterator[tuple[int, Mapping[str, float]]]:
    """Idle connections, each of which has sent one ApiVersions request."""
    crowd: list[socket.socket] = []
    for size in _allowed(sizes):
        added, used = size - len(crowd), system.cpu_seconds()
        for each in _connect(system, added, crowd):
            each.sendall(api_versions())
            assert each.recv(_HELLO_BYTES)
        cost = (system.cpu_seconds() - used) * 1e6 / added
        yield size, {"a connection and one request, broker CPU": cost, **beside(system)}
    _close(crowd)


def parked_fetches(
    system: System, sizes: Sequence[int]
) -> Iterator[tuple[int, Mapping[str, float]]]:
    """Fetches of one partition on a connection each; one produce completes all of them."""
    for size in _allowed(sizes):
        topic = system.new_topic()
        frame = fetch(topic, 0, 0, max_wait_ms=600_000)
        crowd: list[socket.socket] = []
        for _ in _connect(system, size, crowd):
            pass
        settle(system)
        used = system.cpu_seconds()
        for each in crowd:
            each.sendall(frame)
        settle(system)
        parked = (system.cpu_seconds() - used) * 1e6 / size
        others = beside(system)
        used = system.cpu_seconds()
        wake(system, topic, crowd)
        completed = (system.cpu_seconds() - used) * 1e6 / size
        own = {"to park one, broker CPU": parked, "to complete one, broker CPU": completed}
        yield size, own | others
        _close(crowd)
        settle(system)


def group_members(
    system: System, sizes: Sequence[int]
) -> Iterator[tuple[int, Mapping[str, float]]]:
    """Members of classic groups of ten."""
    members: list[Member] = []
    for size in _allowed(sizes):
        added, used = size - len(members), system.cpu_seconds()
        while len(members) < size:
            group = new_group(system)
            count = min(MEMBERS_EACH, size - len(members))
            formed = [Member(system.bootstrap, group) for _ in range(count)]
            form(formed)
            members += formed
        joined = (system.cpu_seconds() - used) * 1e6 / added
        used = system.cpu_seconds()
        for member in members:
            assert not member.heartbeat()
        beats = (system.cpu_seconds() - used) * 1e6 / size
        own = {"to join, broker CPU": joined, "a heartbeat, broker CPU": beats}
        yield size, own | beside(system)
    for member in members:
        member.connection.close()


def _allowed(sizes: Sequence[int]) -> list[int]:
    """The sizes for which a process may open enough descriptors."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_DESCRIPTORS
    return [size for size in sizes if size <= most]


def _connect(system: System, count: int, crowd: list[socket.socket]) -> Iterator[socket.socket]:
    where = address(system.bootstrap)
    for _ in range(count):
        crowd.append(socket.create_connection(where, source_address=_source(len(crowd))))
        yield crowd[-1]


def _source(number: int) -> tuple[str, int] | None:
    """The address of a client: the system has ports for some 28,000 connections from each.

    Linux has all of 127.0.0.0/8, others only the first one.
    """
    others = number // PORTS_OF_AN_ADDRESS
    return (f"127.0.0.{1 + others}", 0) if others else None


def _close(crowd: list[socket.socket]) -> None:
    while crowd:
        crowd.pop().close()
    time.sleep(0.1)


# A process needs as many descriptors; larger sizes are omitted where it may not have them.
_SIZES = (1000, 2000, 4000, 8000, 16_000)
CONNECTIONS = Curve(
    "growth_connections",
    "connections",
    (*_SIZES, 20_000),
    ("a connection and one request, broker CPU", *BESIDE),
    open_connections,
)
PARKED = Curve(
    "growth_parked",
    "parked fetches",
    (*_SIZES, 32_000, 64_000, 100_000),
    ("to park one, broker CPU", "to complete one, broker CPU", *BESIDE),
    parked_fetches,
)
MEMBERS = Curve(
    "growth_members",
    "members",
    (1250, 2500, 5000, 10_000),
    ("to join, broker CPU", "a heartbeat, broker CPU", *BESIDE),
    group_members,
)
