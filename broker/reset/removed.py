"""What a reset has removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, field
from typing import Any

from broker.api.request import Request
from broker.network.clients.connection import Connection
from broker.node import Node
from protocol.lazy_dataclass import dataclass


@dataclass(slots=True)
class Removed:
    """Counts of what clients had made, the topics that exist again, and the nodes that run again.

    ``settings`` are the counts of `broker.controller.initial_settings`.
    """

    topics: int = 0
    recreated: list[str] = field(default_factory=list)
    groups: int = 0
    transactional_ids: int = 0
    parked_requests: int = 0
    fault_rules: int = 0
    settings: dict[str, int] = field(default_factory=dict)
    resumed: list[int] = field(default_factory=list)
    started: list[int] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """The response of ``POST /v1/reset``."""
        counts = asdict(self)
        settings = counts.pop("settings")
        return {**counts, **settings}


def group_ids(nodes: Iterable[Node]) -> set[str]:
    """The ids of all groups."""
    return {group_id for node in nodes for group_id in node.groups.groups}


def transactional_ids(nodes: Iterable[Node]) -> set[str]:
    """All transactional ids."""
    return {
        entry.transactional_id for node in nodes for entry in node.transactions.states.all_entries()
    }


def parked(nodes: Iterable[Node]) -> list[tuple[Connection, Request[Any]]]:
    """The requests of clients that wait, and their connections."""
    return list(_parked(nodes))


def _parked(nodes: Iterable[Node]) -> Iterator[tuple[Connection, Request[Any]]]:
    for node in nodes:
        for connection in node.connections:
            request = connection.in_progress
            if isinstance(request, Request) and request.wait and not request.wait.is_follower:
                yield connection, request


def ended(before: Iterable[tuple[Connection, Request[Any]]]) -> int:
    """How many of the requests that waited *before* have ended."""
    return sum(connection.in_progress is not request for connection, request in before)
